import { proto, type BaileysEventMap, type WAMessage } from "baileys";
import type { KeyedEvent, MessageOrigin } from "@gateway/protocol/events.ts";
import { chatKind } from "@gateway/protocol/ids.ts";
import { networkMessage, sourceOf, type MessageSource } from "../content/network-message.ts";
import { rawOf, unwrap } from "../content/unwrap.ts";
import { viewOfUnwrapped, type ContentView } from "../content/view.ts";
import { DEDUPE } from "../session/dedupe-keys.ts";
import { disappearingTimersOf } from "../memory/disappearing-timers.ts";
import { chatIdOf, lidMappingOf } from "../addressing/lid-mapping.ts";
import { describeMedia } from "../content/media-part.ts";
import { incomingMediaOf } from "../media/incoming-media.ts";
import { sendsOf } from "../outbound/sends.ts";
import { messageSecretsOf } from "../memory/message-secrets.ts";
import { pollsOf } from "../memory/polls.ts";
import type { SessionContext } from "../session/session-context.ts";
import type { Span } from "@gateway/tracing/span.ts";
import { deletionOrEdit, reaction, sealedEdit, vote } from "./message-changes.ts";
import { chatEventQueueOf } from "./chat-event-queue.ts";
import { lateFilesOf } from "./late-files.ts";
import { awaitResend, isUndecryptable, cancelPlaceholder } from "./undecryptable-messages.ts";

export function messagesUpsert(ctx: SessionContext, { messages, type, requestId }: BaileysEventMap["messages.upsert"]): void {
  for (const message of messages) {
    // A message that our own phone resends is treated as live, regardless of its age.
    const late = type === "append" && requestId === undefined;
    const origin = message.key.fromMe ? "own_device" : late ? "offline" : "live";
    ctx.metrics.messageReceived(origin);
    messageReceived(ctx, decoded(message), origin);
  }
}

/** Channel messages may arrive as JSON, with bytes in base64. */
function decoded(message: WAMessage): WAMessage {
  if (!message.message || !message.key.remoteJid?.endsWith("@newsletter")) return message;
  return { ...message, message: proto.Message.fromObject(message.message) };
}

function messageReceived(ctx: SessionContext, message: WAMessage, origin: MessageOrigin): void {
  if (isIgnored(ctx, message.key.remoteJid ?? "")) return;
  if (isUndecryptable(message)) return awaitResend(ctx, message, origin);
  const unwrapped = unwrap(message.message);
  const view = viewOfUnwrapped(unwrapped) ?? hiddenViewOnce(message);
  if (view === null && unwrapped.field === null) return;
  const source = sourceOf(message, lidMappingOf(ctx.session));
  if (source === null || !message.key.id) return;
  cancelPlaceholder(ctx.session, message.key.id);
  if (view !== null) return emitMessage(ctx, message, view, source, origin);
  const { content } = unwrapped;
  if (content.protocolMessage) deletionOrEdit(ctx, message, source, content.protocolMessage);
  else if (content.reactionMessage) reaction(ctx, message, source, content.reactionMessage);
  else if (content.pollUpdateMessage) vote(ctx, message, source, content.pollUpdateMessage);
  else if (content.secretEncryptedMessage) sealedEdit(ctx, message, source, content.secretEncryptedMessage);
  // The response is only logged, because neither API has an event for a response to an event invitation.
  else if (content.encEventResponseMessage) ctx.logger.info({ id: message.key.id }, "event.answer_ignored");
}

function emitMessage(ctx: SessionContext, message: WAMessage, view: ContentView, source: MessageSource, origin: MessageOrigin): void {
  const { chatId, fromMe } = source;
  const event = { type: "message.upsert" as const, origin, message: networkMessage(message, view, source, lidMappingOf(ctx.session)) };
  const { message_id: id, timestamp } = event.message;
  const key = DEDUPE.message(chatId, fromMe, id);
  if (view.poll && message.message) pollsOf(ctx.session).store(ctx.rows, id, source, message.message);
  if (message.message) {
    const editable = { chatId, id, type: view.type, timestamp, raw: message.message };
    messageSecretsOf(ctx.session).store(ctx.rows, editable, ctx.now());
  }
  // A copy from another of our devices proves that our message was sent.
  if (fromMe) sendsOf(ctx.session).confirmed(ctx, id, timestamp);
  if (view.context?.expiration && chatKind(chatId) === "direct") disappearingTimersOf(ctx.session).set(chatId, view.context.expiration);
  const queue = chatEventQueueOf(ctx.session);
  const span = beginSpan(ctx, id, { "gateway.origin": origin, "gateway.message_type": view.type });
  if (!view.media || !ctx.settings.download_media) return queue.enqueue(ctx, chatId, () => emitTraced(ctx, { key, event }, span));
  const described = describeMedia(view.media);
  const { inTime, stored } = incomingMediaOf(ctx.session).receive(ctx, message, view.media);
  const fetching = span?.child("fetch file");
  queue.enqueueAfter(ctx, chatId, inTime, (media) => {
    fetching?.end();
    emitTraced(ctx, { key, event: { ...event, message: { ...event.message, media: media ?? described } } }, span);
    if (media === null) lateFilesOf(ctx.session).follow(ctx, { chat_id: chatId, message_id: id, raw: rawOf(message) }, stored);
  });
}

function beginSpan(ctx: SessionContext, id: string, attributes: Record<string, string>): Span | null {
  if (ctx.tracer === null) return null;
  const ageMs = performance.now() - (ctx.arrivedAt(id) ?? performance.now());
  return ctx.tracer.begin("receive message", "consumer", null, { ...attributes, "gateway.connection": ctx.connection }, Math.max(0, ageMs));
}

function emitTraced(ctx: SessionContext, event: KeyedEvent, span: Span | null): void {
  if (span === null) return ctx.emit([event]);
  const storing = span.child("report", {}, "client");
  ctx.emit([{ ...event, trace: storing.traceparent }]);
  void endWhenStored(ctx, [storing, span]);
}

async function endWhenStored(ctx: SessionContext, spans: readonly Span[]): Promise<void> {
  await ctx.flushed();
  for (const span of spans) span.end();
}

/** Linked devices do not receive view-once messages. This event reports their arrival. */
function hiddenViewOnce({ key, message }: WAMessage): ContentView | null {
  if (!key.isViewOnce || message) return null;
  return {
    type: "view_once",
    text: null,
    media: null,
    location: null,
    contacts: null,
    poll: null,
    selected: null,
    context: null,
    preview: null,
    viewOnce: true,
    background: null,
  };
}

function isIgnored({ settings }: SessionContext, jid: string): boolean {
  if (settings.ignore_groups && jid.endsWith("@g.us")) return true;
  if (settings.ignore_channels && jid.endsWith("@newsletter")) return true;
  return settings.ignore_status && jid === "status@broadcast";
}

export function messagesDelete(ctx: SessionContext, deletion: BaileysEventMap["messages.delete"]): void {
  const keys = "keys" in deletion ? deletion.keys : [];
  for (const { remoteJid, id } of keys) {
    const chatId = chatIdOf(ctx, remoteJid);
    if (chatId !== null && id) ctx.emit([{ key: null, event: { type: "message.removed", chat_id: chatId, message_id: id } }]);
  }
}

export function messagesStar(ctx: SessionContext, updates: BaileysEventMap["messages.update"]): void {
  for (const { key, update } of updates) {
    if (typeof update.starred !== "boolean" || !key.id) continue;
    const chatId = chatIdOf(ctx, key.remoteJid);
    if (chatId !== null)
      ctx.emit([{ key: null, event: { type: "message.starred", chat_id: chatId, message_id: key.id, starred: update.starred } }]);
  }
}
