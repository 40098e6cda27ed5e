import { markAccepted } from "@gateway/domain/messages/message-status.ts";
import { chatKind } from "@gateway/protocol/ids.ts";
import type { NetworkMessage } from "@gateway/protocol/message.ts";
import { freshRecord, NOT_OWN, type Own } from "./message-record.ts";
import type { OwnMessage } from "./own-messages.ts";
import { applyOutOfOrder } from "./apply-out-of-order.ts";
import { recordPerson } from "../contacts/projection.ts";
import type { ProjectionContext, EventHandlers } from "../projection/projection-context.ts";

const SENT_BY_PHONE: Own & { status: "sent" } = { status: "sent", failure: null, source: "phone", reference: null };

/** Suffix of the key under which the message is announced again, with its content. */
const CONTENT_SUFFIX = "|content";

export const messageUpsertEventHandlers: EventHandlers<"message.upsert"> = {
  "message.upsert": ({ message, origin }, context) => {
    if (origin === "history") onHistoryMessage(message, context);
    else if (message.from_me) onOwnCopy(message, context);
    else onReceived(message, context);
  },
};

/** History is stored without an event (docs/internals/sessions.md, "History"). */
function onHistoryMessage(message: NetworkMessage, context: ProjectionContext): void {
  const { stores } = context;
  if (message.from_me && stores.ownMessages.find(message.message_id) !== null) return;
  if (message.sender !== null && !message.from_me) recordPerson(message.sender, message.push_name, context, false);
  const own = message.from_me ? SENT_BY_PHONE : NOT_OWN;
  const stored = stores.messages.store(message, false, own, message.from_me ? message.timestamp * 1000 : null);
  if (stored === null) return;
  updateChat(message, stored.no, 0, context);
  if (stored.hasOutOfOrder) applyOutOfOrder(message, stored.no, stores);
}

function onReceived(message: NetworkMessage, context: ProjectionContext): void {
  const { stores } = context;
  const kind = chatKind(message.chat_id);
  if (message.sender !== null && kind !== "status") recordPerson(message.sender, message.push_name, context, true);
  const stored = stores.messages.store(message, true, NOT_OWN, null);
  if (stored === null) return;
  updateChat(message, stored.no, stored.announcedBefore ? 0 : 1, context);
  // Status posts are not announced as messages, because customers read them through the status routes.
  if (kind !== "status") {
    if (!stored.announcedBefore) context.result.received.push(message.type);
    const key = `received|${message.chat_id}|${message.message_id}${stored.announcedBefore ? CONTENT_SUFFIX : ""}`;
    context.emitAs(key, { type: "message.received", message: freshRecord(message, NOT_OWN, null) }, message.timestamp);
  }
  if (stored.hasOutOfOrder) applyOutOfOrder(message, stored.no, stores);
}

/** Handles a message from another of the owner's devices, or one we sent whose outcome was unknown until now. */
function onOwnCopy(message: NetworkMessage, context: ProjectionContext): void {
  const { stores } = context;
  const known = stores.ownMessages.find(message.message_id);
  if (known !== null) {
    if (known.announced) return replaceUndecrypted(known, message, context);
    if (known.source !== "phone") context.result.confirmedSends.push(message.message_id);
    completePending(known, message, context);
    return;
  }
  const stored = stores.messages.store(message, true, SENT_BY_PHONE, message.timestamp * 1000);
  if (stored === null) return;
  updateChat(message, stored.no, 0, context);
  emitMessageSent(message, SENT_BY_PHONE, context);
  if (stored.hasOutOfOrder) applyOutOfOrder(message, stored.no, stores);
}

/** Stores the content of a message that could not be decrypted at first and was announced without it. */
function replaceUndecrypted(known: OwnMessage, message: NetworkMessage, context: ProjectionContext): void {
  if (known.chatId !== message.chat_id) return;
  const stored = context.stores.messages.store(message, true, SENT_BY_PHONE, null);
  if (stored === null) return;
  updateChat(message, stored.no, 0, context);
  emitMessageSent(message, SENT_BY_PHONE, context, CONTENT_SUFFIX);
}

/** Completes a pending message that the network accepted, and announces it once. */
export function completePending(known: OwnMessage, message: NetworkMessage, context: ProjectionContext): void {
  const own = { status: markAccepted(known.progress).status, failure: null, source: known.source, reference: known.reference };
  context.stores.messages.complete(known, message, own.status, message.timestamp * 1000);
  updateChat(message, known.no, 0, context);
  if (!known.announced) emitMessageSent(message, own, context);
}

/** Emits `message.sent` once per message, whichever device sent it (docs/use/events.md, "Duplicates, placeholders and history"). */
export function emitMessageSent(message: NetworkMessage, own: Own, context: ProjectionContext, suffix = ""): void {
  const record = freshRecord(message, own, message.timestamp * 1000);
  context.emitAs(sentFactKey(message.chat_id, message.message_id) + suffix, { type: "message.sent", message: record }, message.timestamp);
}

export function sentFactKey(chatId: string, messageId: string): string {
  return `sent|${chatId}|${messageId}`;
}

export function updateChat(message: NetworkMessage, no: number, unread: 0 | 1, { stores, now }: ProjectionContext): void {
  if (chatKind(message.chat_id) === "status") return;
  stores.chats.messageArrived({ chatId: message.chat_id, no, timestamp: message.timestamp, unread }, now);
}
