// The status of a sent message only moves forward, and may arrive before the message (docs/use/events.md, "Status of a sent message").
import { applyReport, isAccepted, isBetterReason } from "@gateway/domain/messages/message-status.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import { chatKind, personOf } from "@gateway/protocol/ids.ts";
import type { OwnMessage } from "./own-messages.ts";
import { sentFactKey } from "./project-upserts.ts";
import { storeOutOfOrderStatus } from "./apply-out-of-order.ts";
import type { Events, ProjectionContext, EventHandlers } from "../projection/projection-context.ts";

type Status = Events["message.status"];

export const messageStatusEventHandlers: EventHandlers<"message.status"> = {
  "message.status": (event, context) => {
    const { stores, now } = context;
    const update = { status: event.status, at: event.timestamp * 1000 };
    const own = stores.ownMessages.find(event.message_id);
    if (own !== null && !isOfItsChat(own, event)) return;
    // Applies a failure once per key, because a repeated one could be about an earlier attempt. Repeated progress changes nothing anyway.
    if ((own === null || event.status === "failed") && !context.claimKey()) return;
    const chatId = own?.chatId ?? event.chat_id;
    if (event.participant !== null && chatKind(chatId) !== "direct")
      stores.ownMessages.addReceipt(chatId, event.message_id, event.participant, update);
    if (own === null) {
      if (storeOutOfOrderStatus(stores, chatId, event.message_id, update, now).moved) emitMessageStatus(event, null, context);
      return;
    }
    const { progress, moved } = applyReport(own.progress, update);
    const isCorrected = event.status === "failed" && isBetterReason(own.progress, own.failure, event.failure ?? null);
    if (progress !== own.progress || isCorrected) stores.ownMessages.setProgress(own.no, progress, event.failure ?? null);
    if (isAccepted(progress.status)) emitProvedSent(own, event.message_id, context);
    if (moved || isCorrected) {
      countAnew(own, event, context);
      emitMessageStatus({ ...event, chat_id: chatId }, own, context);
    }
  },
};

/** Anybody can send a receipt for any id, so the chat must match. Before acceptance, the network may use another number for the chat. */
function isOfItsChat({ chatId, progress }: OwnMessage, event: Status): boolean {
  if (chatId === event.chat_id) return true;
  return !isAccepted(progress.status) && chatKind(chatId) === "direct" && chatKind(event.chat_id) === "direct";
}

function emitProvedSent(own: OwnMessage, messageId: string, context: ProjectionContext): void {
  // Messages that the phone sent before pairing (history) are not announced to webhooks.
  if (own.announced || own.source === "phone") return;
  const { stores, now } = context;
  stores.ownMessages.markAnnounced(own.no, now);
  const message = stores.messageQueries.get(messageId, own.chatId);
  if (message === null) return;
  stores.chats.messageArrived({ chatId: own.chatId, no: own.no, timestamp: message.timestamp, unread: 0 }, now);
  context.result.confirmedSends.push(messageId);
  context.emitAs(sentFactKey(own.chatId, messageId), { type: "message.sent", message }, message.timestamp);
}

/** Updates the counts. Each message is counted under its latest outcome (docs/use/statistics.md, "What is counted"). */
function countAnew({ progress }: OwnMessage, { message_id: messageId, status, failure }: Status, { result }: ProjectionContext): void {
  if (status === "failed") result.recountedSends.push({ messageId, failure: failure ?? { code: "network_error" } });
  else if (progress.status === "failed") result.recountedSends.push({ messageId, failure: null });
}

export function emitMessageStatus(status: Omit<Status, "type">, own: OwnMessage | null, context: ProjectionContext): void {
  const { chat_id: chatId, message_id: messageId, timestamp } = status;
  const failure: Failure | null = status.status === "failed" ? (status.failure ?? null) : null;
  // The key contains the reason, because a failure whose reason arrives later is a new event.
  const corrected = own?.progress.status === "failed" && failure !== null ? `|${failure.code}` : "";
  context.emitAs(
    `status|${chatId}|${messageId}|${status.status}${corrected}`,
    {
      type: "message.status",
      message_id: messageId,
      chat_id: chatId,
      recipient: personOf(chatId),
      is_group: chatKind(chatId) === "group",
      participant: status.participant,
      status: status.status,
      failure,
      reference: own?.reference ?? null,
      timestamp,
    },
    timestamp,
  );
}
