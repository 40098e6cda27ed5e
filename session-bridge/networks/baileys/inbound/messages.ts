// `messages.upsert`: messages, and the messages that change other messages.
import type { BaileysEventMap, WAMessage } from "baileys";
import type { NetworkEvent } from "../../../../src/protocol/events.ts";
import { networkMessage, placeOf, type Place } from "../content/network-message.ts";
import { unwrap } from "../content/unwrap.ts";
import { viewOfUnwrapped, type ContentView } from "../content/view.ts";
import { DEDUPE } from "../dedupe-keys.ts";
import type { SessionContext } from "../session-context.ts";
import { memoryOf } from "../session-memory.ts";
import { deletionOrEdit, reaction } from "./message-changes.ts";
import { vote } from "./poll-votes.ts";
import { holdUnread, isUnread, releaseUnread } from "./unread-messages.ts";

export type Origin = Extract<NetworkEvent, { type: "message.upsert" }>["origin"];

export function messagesUpsert(ctx: SessionContext, { messages, type, requestId }: BaileysEventMap["messages.upsert"]): void {
  for (const message of messages) {
    // What the phone sends again on request is news, whenever it was written.
    const late = type === "append" && requestId === undefined;
    takeIn(ctx, message, message.key.fromMe ? "own_device" : late ? "offline" : "live");
  }
}

function takeIn(ctx: SessionContext, message: WAMessage, origin: Origin): void {
  if (isIgnored(ctx, message.key.remoteJid ?? "")) return;
  const memory = memoryOf(ctx.link);
  if (isUnread(message)) return holdUnread(ctx, message, origin);
  const unwrapped = unwrap(message.message);
  const view = viewOfUnwrapped(unwrapped) ?? closedViewOnce(message);
  if (view === null && unwrapped.field === null) return;
  const place = placeOf(message, memory.book);
  if (place === null || !message.key.id) return;
  releaseUnread(ctx.link, message.key.id);
  if (view !== null) return release(ctx, message, view, place, origin);
  const { content } = unwrapped;
  if (content.protocolMessage) deletionOrEdit(ctx, message, place, content.protocolMessage);
  else if (content.reactionMessage) reaction(ctx, message, place, content.reactionMessage);
  else if (content.pollUpdateMessage) vote(ctx, message, place, content.pollUpdateMessage);
}

/** A message of its own leaves when its file is here, or at once when it has none. */
function release(ctx: SessionContext, message: WAMessage, view: ContentView, place: Place, origin: Origin): void {
  const memory = memoryOf(ctx.link);
  const { chatId, fromMe } = place;
  const event = { type: "message.upsert" as const, origin, message: networkMessage(message, view, place, memory.book) };
  const key = DEDUPE.message(chatId, fromMe, event.message.message_id);
  if (fromMe && message.message) memory.polls.keep(ctx.rows, event.message.message_id, message.message);
  if (fromMe) memory.sends.arrived(ctx, event.message.message_id, event.message.timestamp);
  if (!view.media || !ctx.settings.download_media) return memory.releases.inTurn(ctx, chatId, () => ctx.emit([{ key, event }]));
  const { ready, late } = memory.media.receive(ctx, message, view.media);
  memory.releases.after(ctx, chatId, ready, (media) => ctx.emit([{ key, event: { ...event, message: { ...event.message, media } } }]));
  void late.then((media) => {
    if (media === null) return;
    const { message_id } = event.message;
    ctx.emit([{ key: DEDUPE.media(chatId, message_id), event: { type: "message.media", chat_id: chatId, message_id, media } }]);
  });
}

/** What was opened for one look only is not given to linked devices; that it came is worth telling. */
function closedViewOnce({ key, message }: WAMessage): ContentView | null {
  if (!key.isViewOnce || message) return null;
  return {
    type: "view_once", text: null, media: null, location: null, contacts: null, poll: null, selected: null, context: null, viewOnce: true,
  };
}

function isIgnored({ settings }: SessionContext, jid: string): boolean {
  if (settings.ignore_groups && jid.endsWith("@g.us")) return true;
  if (settings.ignore_channels && jid.endsWith("@newsletter")) return true;
  return settings.ignore_status && jid === "status@broadcast";
}

