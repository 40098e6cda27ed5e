// The library requests undecryptable messages again. After a minute, a placeholder is emitted, which the message may still replace.
import { WAMessageStubType, type BinaryNode, type WAMessage } from "baileys";
import type { MessageOrigin } from "@gateway/protocol/events.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import { type NetworkMessage, NO_EXTRAS } from "@gateway/protocol/message.ts";
import { MAX_ROW_KEY } from "@gateway/protocol/session-socket.ts";
import { numberOf } from "../content/unwrap.ts";
import { sourceOf } from "../content/network-message.ts";
import { DEDUPE } from "../session/dedupe-keys.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext, NetworkSession } from "../session/session-context.ts";
import { chatEventQueueOf } from "./chat-event-queue.ts";

const RESEND_TIMEOUT_MS = 60_000;

type Waiting = { dueAt: number; chatId: ChatId; origin: MessageOrigin; message: NetworkMessage };
const ROW_TYPE = "unread";

const undecryptableOf = perSession((session) => {
  const timers = new Map<string, NodeJS.Timeout>();
  for (const row of session.rows.keysOf(ROW_TYPE)) {
    const waiting = JSON.parse(session.rows.get(row)?.toString() ?? "null") as Waiting | null;
    if (waiting !== null) reportWhenDue(session, timers, waiting);
  }
  return timers;
});

export function resumePlaceholders(session: NetworkSession): void {
  undecryptableOf(session);
}

/** The network's current notice for a hidden view-once message. The library knows only the older type and drops this one. */
const VIEW_ONCE = "view_once_unavailable_fanout";

/** Renames the type in the stanza before the library reads it, so that the message is reported as view-once. */
export function nameViewOnce({ content }: BinaryNode): void {
  if (!Array.isArray(content)) return;
  for (const { tag, attrs } of content) if (tag === "unavailable" && attrs["type"] === VIEW_ONCE) attrs["type"] = "view_once";
}

export function isUndecryptable({ messageStubType, message }: WAMessage): boolean {
  return messageStubType === WAMessageStubType.CIPHERTEXT && !message;
}

export function awaitResend(ctx: SessionContext, message: WAMessage, origin: MessageOrigin): void {
  const id = message.key.id ?? "";
  const timers = undecryptableOf(ctx.session);
  const source = sourceOf(message, lidMappingOf(ctx.session));
  // Peer messages are exchanged only between our own devices, so they are not reported.
  if (source === null || id === "" || timers.has(id) || message.category === "peer") return;
  ctx.logger.info({ messageId: id }, "message.unreadable");
  ctx.metrics.troubled("unread", "message", ctx.connection);
  const waiting = { dueAt: ctx.now() + RESEND_TIMEOUT_MS, chatId: source.chatId, origin, message: placeholder(message, source) };
  if (rowKeyOf(id).length <= MAX_ROW_KEY) ctx.rows.put(rowKeyOf(id), JSON.stringify(waiting satisfies Waiting));
  reportWhenDue(ctx.session, timers, waiting);
}

export function cancelPlaceholder(session: NetworkSession, id: string): void {
  const timers = undecryptableOf(session);
  if (!timers.has(id)) return;
  clearTimeout(timers.get(id));
  forget(session, timers, id);
}

function reportWhenDue(session: NetworkSession, timers: Map<string, NodeJS.Timeout>, { dueAt, chatId, origin, message }: Waiting): void {
  const { message_id: id, from_me: fromMe } = message;
  const event = { type: "message.upsert" as const, origin, message };
  const report = (): void => {
    if (session.ended.aborted) return;
    chatEventQueueOf(session).enqueue(session, chatId, () => {
      // The message itself may have arrived while the chat's earlier events were waiting for a file.
      if (!timers.has(id)) return;
      session.emit([{ key: DEDUPE.placeholder(chatId, fromMe, id), event }]);
      // The row is deleted with the event's commit, so that a crash before the commit does not lose the placeholder.
      forget(session, timers, id);
    });
  };
  timers.set(id, setTimeout(report, Math.max(0, dueAt - session.now())).unref());
}

function forget(session: NetworkSession, timers: Map<string, NodeJS.Timeout>, id: string): void {
  timers.delete(id);
  session.rows.put(rowKeyOf(id), null);
}

const rowKeyOf = (id: string): string => `${ROW_TYPE}|${id}`;

function placeholder(message: WAMessage, { chatId, fromMe, sender }: NonNullable<ReturnType<typeof sourceOf>>): NetworkMessage {
  return {
    message_id: message.key.id ?? "",
    chat_id: chatId,
    from_me: fromMe,
    sender,
    push_name: fromMe ? null : message.pushName || null,
    timestamp: numberOf(message.messageTimestamp),
    type: "undecrypted",
    text: null,
    media: null,
    ...NO_EXTRAS,
    raw: null,
  };
}
