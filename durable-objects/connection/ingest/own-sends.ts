// Sends through the API and the dashboard, as the outbox reports them: accepted, then sent or failed.
import type { GatewayFact } from "../../../src/domain/gateway-event.ts";
import { applyReport } from "../../../src/domain/messages/message-status.ts";
import type { SendRequest } from "../../../src/protocol/content.ts";
import type { SendSettled } from "../../../src/protocol/events.ts";
import type { Failure } from "../../../src/protocol/failures.ts";
import type { NetworkMessage } from "../../../src/protocol/message.ts";
import type { Own } from "../store/message-record.ts";
import type { Stores } from "../store/stores.ts";
import { sentBefore, showInChat, tellSent } from "./arrivals.ts";
import { chats } from "./chats.ts";
import { draftOf } from "./drafts.ts";
import { applyEarly } from "./early.ts";
import { messageChanges } from "./message-changes.ts";
import { tellStatus } from "./statuses.ts";
import { Taking } from "./taking.ts";

export type Acknowledged = Omit<Extract<SendSettled["outcome"], { kind: "acknowledged" }>, "kind" | "to_resolved">;
export type SendSource = "api" | "dashboard";

/** Keeps the message as `pending`; nothing for what is no message (reaction, edit, …). `now` in Unix ms. */
export function accepted(request: SendRequest, source: SendSource, reference: string | null, stores: Stores, now: number): void {
  // A message has one row, under whichever chat the network resolved its number to.
  if (stores.progress.find(request.message_id) !== null) return stores.progress.reopen(request.message_id);
  const draft = draftOf(request, quotedBy(request, stores), Math.floor(now / 1000));
  if (draft !== null) stores.messages.takeIn(draft, false, { status: "pending", failure: null, source, reference }, null);
}

/** The network took it: its message, or what it did to another one, is told once. */
export function sent(
  request: SendRequest,
  acknowledged: Acknowledged,
  source: SendSource,
  reference: string | null,
  stores: Stores,
  now: number,
): GatewayFact[] {
  const taking = new Taking(stores, now);
  taking.begin(`own|${request.message_id}`);
  if (!takeEffect(request, acknowledged.timestamp, taking)) {
    sentMessage({ ...acknowledged.message, timestamp: acknowledged.timestamp }, source, reference, taking);
  }
  return taking.out.facts;
}

/** It is certain that it did not go. Nothing is told when a receipt says otherwise, or of what was no message. */
export function failed(messageId: string, failure: Failure, stores: Stores, now: number): GatewayFact[] {
  const own = stores.progress.find(messageId);
  if (own === null) return [];
  const taking = new Taking(stores, now);
  const { progress, moved } = applyReport(own.progress, { status: "failed", at: now });
  if (!moved) return [];
  stores.progress.write(own.no, progress, failure);
  tellStatus(
    { chat_id: own.chatId, message_id: messageId, status: "failed", participant: null, failure, timestamp: taking.seconds },
    own,
    taking,
  );
  return taking.out.facts;
}

function sentMessage(message: NetworkMessage, source: SendSource, reference: string | null, taking: Taking): void {
  const { stores } = taking;
  const known = stores.progress.find(message.message_id);
  if (known !== null) {
    sentBefore(known, message, taking);
    return;
  }
  const own: Own = { status: "sent", failure: null, source, reference };
  const taken = stores.messages.takeIn(message, true, own, message.timestamp * 1000);
  // The owner removed it meanwhile: it has gone all the same.
  if (taken !== null) showInChat(message, taken.no, 0, taking);
  tellSent(message, own, taking);
  if (taken?.early === true) applyEarly(message, taken.no, stores);
}

/** What is done to a message or a chat takes effect here as if another device had done it; false when it is a message. */
function takeEffect({ content, chat_id: chatId }: SendRequest, timestamp: number, taking: Taking): boolean {
  switch (content.kind) {
    case "reaction": {
      const { chat_id, message_id } = content.target;
      const reaction = { chat_id, message_id, from_me: true, sender: null, reaction: content.reaction, timestamp };
      messageChanges["message.reaction"]({ type: "message.reaction", ...reaction }, taking);
      return true;
    }
    case "edit": {
      const { chat_id, message_id, from_me } = content.target;
      messageChanges["message.edited"](
        { type: "message.edited", chat_id, message_id, from_me, sender: null, text: content.text, timestamp },
        taking,
      );
      return true;
    }
    case "delete": {
      const { chat_id, message_id, from_me, participant } = content.target;
      messageChanges["message.deleted"](
        { type: "message.deleted", chat_id, message_id, from_me, author: participant, by: taking.stores.groups.me(), timestamp },
        taking,
      );
      return true;
    }
    case "disappearing":
      chats["chat.updated"]({ type: "chat.updated", chat_id: chatId, disappearing_seconds: content.seconds }, taking);
      return true;
    default:
      return content.kind === "pin";
  }
}

function quotedBy({ quoted, chat_id }: SendRequest, stores: Stores): NetworkMessage["quoted"] {
  if (quoted === null) return null;
  const { message_id, from_me, participant } = quoted.ref;
  const known = stores.messages.find(message_id, chat_id);
  return { message_id, from: participant, from_me, text: known?.text ?? null, type: known?.type ?? "unknown" };
}
