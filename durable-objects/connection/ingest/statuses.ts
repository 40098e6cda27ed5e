// How far a sent message got: only forward, and never lost, whatever comes first (docs/events.md, "Status of a sent message").
import { isAccepted, applyReport } from "../../../src/domain/messages/message-status.ts";
import type { Failure } from "../../../src/protocol/failures.ts";
import { chatKind, personOf } from "../../../src/protocol/ids.ts";
import type { OwnMessage } from "../store/progress.ts";
import { sentSource } from "./arrivals.ts";
import { noteEarlyReport } from "./early.ts";
import type { Events, Taking, TakerOf } from "./taking.ts";

type Status = Events["message.status"];

export const statuses: TakerOf<"message.status"> = {
  "message.status": (event, taking) => {
    const { stores, now } = taking;
    const news = { status: event.status, at: event.timestamp * 1000 };
    const own = stores.progress.find(event.message_id);
    const chatId = own?.chatId ?? event.chat_id;
    if (event.participant !== null && chatKind(chatId) !== "direct")
      stores.progress.noteReceipt(chatId, event.message_id, event.participant, news);
    if (own === null) {
      if (noteEarlyReport(stores, chatId, event.message_id, news, now).moved) tellStatus(event, null, taking);
      return;
    }
    const { progress, moved } = applyReport(own.progress, news);
    if (progress !== own.progress) stores.progress.write(own.no, progress, event.failure ?? null);
    if (isAccepted(progress.status)) tellProvedSent(own, event.message_id, taking);
    if (moved) tellStatus({ ...event, chat_id: chatId }, own, taking);
  },
};

/** A receipt proves that a send whose outcome was open did go. */
function tellProvedSent(own: OwnMessage, messageId: string, taking: Taking): void {
  // Messages of the phone that only history told of are no news.
  if (own.announced || own.source === "phone") return;
  const { stores, now } = taking;
  stores.progress.announce(own.no, now);
  const message = stores.messageReads.get(messageId, own.chatId);
  if (message === null) return;
  stores.chats.messageArrived({ chatId: own.chatId, no: own.no, timestamp: message.timestamp, unread: 0 }, now);
  taking.out.confirmed.push(messageId);
  taking.tellAs(sentSource(own.chatId, messageId), { type: "message.sent", message }, message.timestamp);
}

/** `message.status`; also for messages we know nothing else of. */
export function tellStatus(status: Omit<Status, "type">, own: OwnMessage | null, taking: Taking): void {
  const { chat_id: chatId, message_id: messageId, timestamp } = status;
  const failure: Failure | null = status.status === "failed" ? (status.failure ?? null) : null;
  taking.tellAs(
    `status|${chatId}|${messageId}|${status.status}`,
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
