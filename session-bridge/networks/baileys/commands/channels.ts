import { QueryIds, type BinaryNode } from "baileys";
import type { NetworkChannel } from "@gateway/protocol/channels.ts";
import type { CommandInput, CommandOutput } from "@gateway/protocol/commands.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import {
  type DescribedChannel,
  describedChannel,
  type ChannelKey,
  readChannel,
  readChannelMessages,
  readFollowedChannels,
} from "../queries/channel-reads.ts";
import { queryMex } from "../queries/network-query.ts";
import { networkCode, asAttempted, failureOfCode } from "../session/network-failures.ts";
import { squarePicture } from "./profile.ts";
import type { SessionContext } from "../session/session-context.ts";
import { channelPictureOf } from "../media/profile-pictures.ts";
import { type CommandHandlers, failureWithoutReply } from "./command-handlers.ts";

type Read = Outcome<CommandOutput<"channels.get">>;
const DONE = { ok: true, value: {} } as const;
const NO_SUCH_KEY = new Set<number | null>([404, 406, 410]);
/** Either the channel is unknown, or the network no longer accepts this form of query. */
const BAD_REQUEST = 400;
const NOT_FOUND = fail("channel_not_found");

export const channelCommands: CommandHandlers<"channels"> = {
  "channels.create": async (ctx, { name, description }) => {
    const created = describedChannel(await queryMex(ctx, QueryIds.CREATE, { input: { name, description } }, "xwa2_newsletter_create"));
    if (created === null) return fail("send_outcome_unknown");
    // The response to a creation may omit our role, which is always owner.
    const facts: NetworkChannel = { ...created.facts, role: "owner" };
    report(ctx, facts);
    return { ok: true, value: facts };
  },

  "channels.get": async (ctx, { channel_id, invite }) => {
    try {
      const read = await readChannel(ctx, keyOf(channel_id, invite));
      return read === null ? NOT_FOUND : await withPicture(ctx, read);
    } catch (error) {
      if (NO_SUCH_KEY.has(networkCode(error))) return NOT_FOUND;
      if (networkCode(error) !== BAD_REQUEST) throw error;
      const followed = await readFollowedChannels(ctx);
      const read = followed.find(({ facts }) => facts.channel_id === channel_id || isInvite(facts, invite));
      if (read !== undefined) return withPicture(ctx, read);
      const [known] = followed;
      // If the network refuses even a known channel, the refusal proves nothing about this one, so the error is thrown again.
      if (known === undefined || !(await isReadable(ctx, known.facts.channel_id))) throw error;
      return NOT_FOUND;
    }
  },

  "channels.update": update,

  "channels.remove": async (ctx, { channel_id }) => {
    await queryMex(ctx, QueryIds.DELETE, { newsletter_id: channel_id }, "xwa2_newsletter_delete_v2");
    forget(ctx, channel_id);
    return DONE;
  },

  "channels.follow": async (ctx, { channel_id, follow }) => {
    const [query, path] = follow
      ? ([QueryIds.FOLLOW, "xwa2_newsletter_join_v2"] as const)
      : ([QueryIds.UNFOLLOW, "xwa2_newsletter_leave_v2"] as const);
    await queryMex(ctx, query, { newsletter_id: channel_id }, path);
    if (!follow) forget(ctx, channel_id);
    else report(ctx, (await readAfter(ctx, channel_id)) ?? { channel_id, role: "subscriber" });
    return DONE;
  },

  "channels.mute": async (ctx, { channel_id, muted }) => {
    const [query, path] = muted
      ? ([QueryIds.MUTE, "xwa2_newsletter_mute_v2"] as const)
      : ([QueryIds.UNMUTE, "xwa2_newsletter_unmute_v2"] as const);
    await queryMex(ctx, query, { newsletter_id: channel_id }, path);
    report(ctx, { channel_id, muted });
    return DONE;
  },

  "channels.messages": async (ctx, { channel_id, limit, before }) => {
    return { ok: true, value: { items: await readChannelMessages(ctx, channel_id, limit, before) } };
  },

  "channels.react": reactInChannel,
};

async function update(
  ctx: SessionContext,
  { channel_id, name, description, picture }: CommandInput<"channels.update">,
): Promise<Outcome<Record<string, never>>> {
  const square = picture ? await squarePicture(ctx, picture) : null;
  if (square?.ok === false) return square;
  const updates = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(picture !== undefined && { picture: square === null ? "" : square.value.toString("base64") }),
    settings: null,
  };
  await queryMex(ctx, QueryIds.UPDATE_METADATA, { newsletter_id: channel_id, updates }, "xwa2_newsletter_update");
  report(ctx, { channel_id, ...(name !== undefined && { name }), ...(description !== undefined && { description: description || null }) });
  return DONE;
}

async function withPicture(ctx: SessionContext, { facts, picture }: DescribedChannel): Promise<Read> {
  const copy = picture === null ? null : await channelPictureOf(ctx, picture);
  return { ok: true, value: { channel: facts, picture: copy?.ok === true ? copy.value : null } };
}

async function readAfter(ctx: SessionContext, channelId: ChatId): Promise<NetworkChannel | null> {
  const read = await readChannel(ctx, { type: "jid", key: channelId }).catch(() => null);
  return read?.facts ?? null;
}

function isInvite({ invite_link }: NetworkChannel, invite: string | null): boolean {
  return invite !== null && invite_link?.split("/").at(-1) === invite;
}

async function isReadable(ctx: SessionContext, channelId: ChatId): Promise<boolean> {
  return (await readAfter(ctx, channelId)) !== null;
}

function keyOf(channelId: ChatId | null, invite: string | null): ChannelKey {
  return channelId === null ? { type: "invite", key: invite ?? "" } : { type: "jid", key: channelId };
}

function report(ctx: SessionContext, change: Omit<Extract<NetworkEvent, { type: "channel.updated" }>, "type">): void {
  ctx.emit([{ key: null, event: { type: "channel.updated", ...change } }]);
}

function forget(ctx: SessionContext, channelId: ChatId): void {
  ctx.emit([{ key: null, event: { type: "channel.removed", channel_id: channelId } }]);
}

// Reacts to a channel message. A reaction is idempotent and not stored as a message, so it is sent as a query.

const REVOKED = "7";

async function reactInChannel(
  { sock }: SessionContext,
  { channel_id, server_id, reaction }: CommandInput<"channels.react">,
): Promise<Outcome<Record<string, never>>> {
  const attrs = {
    to: channel_id,
    type: "reaction",
    id: sock.generateMessageTag(),
    server_id: String(server_id),
    ...(reaction === "" && { edit: REVOKED }),
  };
  const content = [{ tag: "reaction", attrs: reaction === "" ? {} : { code: reaction } }];
  const ack = (await sock.query({ tag: "message", attrs, content })) as BinaryNode | undefined;
  if (ack === undefined) return fail(failureWithoutReply("change"));
  const refused = ack.attrs["error"];
  if (refused === undefined) return { ok: true, value: {} };
  const code = Number(refused);
  return fail(code === 404 ? { code: "message_not_found" } : asAttempted(failureOfCode(code, "channel")));
}
