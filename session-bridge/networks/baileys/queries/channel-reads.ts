import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, proto, QueryIds, S_WHATSAPP_NET, XWAPaths } from "baileys";
import type { ChannelMessageRecord } from "@gateway/protocol/channels.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import { describedChannel, type DescribedChannel } from "./channel-facts.ts";
import { networkMessage } from "../content/network-message.ts";
import { viewOf } from "../content/view.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import { queryMex, queryNetwork } from "./network-query.ts";
import type { SessionContext } from "../session/session-context.ts";

/** The library has no function for this; other clients use this query id. */
const FOLLOWED_QUERY = "6388546374527196";
const FOLLOWED_PATH = "xwa2_newsletter_subscribed";

export type ChannelKey = { type: "jid"; key: ChatId } | { type: "invite"; key: string };

export async function readChannel(ctx: SessionContext, { type, key }: ChannelKey): Promise<DescribedChannel | null> {
  // All of these are required: the network refuses the query (400) when any is missing.
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
  const answer = await queryMex(ctx, FOLLOWED_QUERY, {}, FOLLOWED_PATH);
  return Array.isArray(answer) ? answer.map(describedChannel).filter((channel) => channel !== null) : [];
}

export async function readChannelMessages(
  ctx: SessionContext,
  channel: ChatId,
  limit: number,
  before: number | null,
): Promise<ChannelMessageRecord[]> {
  const attrs = { type: "jid", jid: channel, count: String(limit), ...(before === null ? {} : { before: String(before) }) };
  const answer = await queryNetwork(ctx, { to: S_WHATSAPP_NET, type: "get", xmlns: "newsletter" }, [{ tag: "messages", attrs }]);
  return getBinaryNodeChildren(getBinaryNodeChild(answer, "messages"), "message")
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
