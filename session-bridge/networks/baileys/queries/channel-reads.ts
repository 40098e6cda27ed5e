import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, proto, QueryIds, S_WHATSAPP_NET, XWAPaths } from "baileys";
import type { ChannelMessageRecord, NetworkChannel } from "@gateway/protocol/channels.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import * as z from "zod";
import { networkMessage } from "../content/network-message.ts";
import { viewOf } from "../content/view.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import { queryMex, queryNetwork } from "./network-query.ts";
import type { SessionContext } from "../session/session-context.ts";
import { asChatId } from "../addressing/jids.ts";

/** Id of the query with which other clients read the followed channels. The library has no function for it. */
const FOLLOWED_QUERY = "6388546374527196";
const FOLLOWED_PATH = "xwa2_newsletter_subscribed";

export type ChannelKey = { type: "jid"; key: ChatId } | { type: "invite"; key: string };

export async function readChannel(ctx: SessionContext, { type, key }: ChannelKey): Promise<DescribedChannel | null> {
  // All of these fields are required. If any is missing, the network refuses the query (400).
  const variables = {
    fetch_creation_time: true,
    fetch_full_image: true,
    fetch_pinned_messages: false,
    fetch_status_metadata: false,
    fetch_viewer_metadata: true,
    fetch_wamo_sub: false,
    input: { key, type: type.toUpperCase() },
  };
  return describedChannel(await queryMex(ctx, QueryIds.METADATA, variables, XWAPaths.xwa2_newsletter_metadata));
}

export async function readFollowedChannels(ctx: SessionContext): Promise<DescribedChannel[]> {
  const reply = await queryMex(ctx, FOLLOWED_QUERY, {}, FOLLOWED_PATH);
  return Array.isArray(reply) ? reply.map(describedChannel).filter((channel) => channel !== null) : [];
}

export async function readChannelMessages(
  ctx: SessionContext,
  channel: ChatId,
  limit: number,
  before: number | null,
): Promise<ChannelMessageRecord[]> {
  const attrs = { type: "jid", jid: channel, count: String(limit), ...(before === null ? {} : { before: String(before) }) };
  const reply = await queryNetwork(ctx, { to: S_WHATSAPP_NET, type: "get", xmlns: "newsletter" }, [{ tag: "messages", attrs }]);
  return getBinaryNodeChildren(getBinaryNodeChild(reply, "messages"), "message")
    .map((node) => messageIn(ctx, channel, node))
    .filter((message) => message !== null)
    .toSorted((one, other) => other.server_id - one.server_id);
}

function messageIn(ctx: SessionContext, channel: ChatId, node: BinaryNode): ChannelMessageRecord | null {
  const { id, server_id: serverId, t } = node.attrs;
  const bytes = getBinaryNodeChild(node, "plaintext")?.content;
  if (id === undefined || serverId === undefined || bytes === undefined || Array.isArray(bytes)) return null;
  const message = contentOf(typeof bytes === "string" ? Buffer.from(bytes, "binary") : bytes);
  const view = message && viewOf(message);
  if (!message || !view) return null;
  const source = { chatId: channel, fromMe: false, sender: null };
  const content = networkMessage(
    { key: { remoteJid: channel, id }, message, messageTimestamp: Number(t ?? 0) },
    view,
    source,
    lidMappingOf(ctx.session),
  );
  const { timestamp, type, text, media, location, contacts, poll, forwarded } = content;
  return {
    message_id: id,
    channel_id: channel,
    server_id: Number(serverId),
    timestamp,
    type,
    text,
    media,
    location,
    contacts,
    poll,
    forwarded,
    views: countIn(getBinaryNodeChild(node, "views_count")),
    reactions: getBinaryNodeChildren(getBinaryNodeChild(node, "reactions"), "reaction").flatMap((reaction) => {
      const { code } = reaction.attrs;
      return code ? [{ reaction: code, count: countIn(reaction) ?? 0 }] : [];
    }),
  };
}

function contentOf(bytes: Uint8Array): proto.IMessage | null {
  try {
    return proto.Message.decode(bytes);
  } catch {
    return null;
  }
}

function countIn(node: BinaryNode | undefined): number | null {
  const count = Number(node?.attrs["count"] ?? Number.NaN);
  return Number.isInteger(count) ? count : null;
}

const text = z.object({ text: z.string() }).nullish();
const image = z.object({ url: z.string().nullish(), direct_path: z.string().nullish() }).nullish();
const number = z.union([z.string(), z.number()]).nullish();

const Described = z.object({
  id: z.string(),
  thread_metadata: z
    .object({
      name: text,
      description: text,
      invite: z.string().nullish(),
      creation_time: number,
      subscribers_count: number,
      verification: z.string().nullish(),
      picture: image,
      preview: image,
    })
    .nullish(),
  viewer_metadata: z.object({ role: z.string().nullish(), mute: z.string().nullish() }).nullish(),
});

export type ChannelPicture = { url: string | null; directPath: string | null };
export type DescribedChannel = { facts: NetworkChannel; picture: ChannelPicture | null };

const ROLES: Record<string, NetworkChannel["role"]> = { OWNER: "owner", ADMIN: "admin", SUBSCRIBER: "subscriber", GUEST: "guest" };

export function channelRole(role: string | null | undefined): NetworkChannel["role"] | null {
  return ROLES[role?.toUpperCase() ?? ""] ?? null;
}

export function describedChannel(reply: unknown): DescribedChannel | null {
  const described = Described.safeParse(reply);
  const id = described.success ? asChatId(described.data.id) : null;
  if (!described.success || id === null) return null;
  const { thread_metadata: thread, viewer_metadata: viewer } = described.data;
  const image = thread?.preview ?? thread?.picture;
  const picture = { url: image?.url ?? null, directPath: image?.direct_path ?? null };
  return {
    facts: {
      channel_id: id,
      name: thread?.name?.text ?? "",
      description: thread?.description?.text || null,
      invite_link: thread?.invite ? channelLink(thread.invite) : null,
      role: channelRole(viewer?.role) ?? "guest",
      subscribers: wholeNumber(thread?.subscribers_count),
      verified: thread?.verification === "VERIFIED",
      muted: viewer?.mute === "ON",
      created_at: wholeNumber(thread?.creation_time),
    },
    picture: picture.url === null && picture.directPath === null ? null : picture,
  };
}

function channelLink(invite: string): string {
  return `https://whatsapp.com/channel/${invite}`;
}

function wholeNumber(value: string | number | null | undefined): number | null {
  const read = Number(value ?? Number.NaN);
  return Number.isInteger(read) ? read : null;
}
