// A message came, or left from another device of the owner.
import { markAccepted } from "../../../src/domain/messages/message-status.ts";
import { chatKind } from "../../../src/protocol/ids.ts";
import type { NetworkMessage } from "../../../src/protocol/message.ts";
import { freshRecord, NOT_OWN, type Own } from "../store/message-record.ts";
import type { OwnMessage } from "../store/progress.ts";
import { applyEarly } from "./early.ts";
import { seePerson } from "./people.ts";
import type { Taking, TakerOf } from "./taking.ts";

const BY_PHONE: Own & { status: "sent" } = { status: "sent", failure: null, source: "phone", reference: null };

/**
 * Ends the name of a fact that tells of a message anew, now with what it says (docs/durability.md, "Messages that cannot be decrypted").
 */
const CONTENT = "|content";

export const arrivals: TakerOf<"message.upsert"> = {
  "message.upsert": ({ message, origin }, taking) => {
    if (origin === "history") fromHistory(message, taking);
    else if (message.from_me) ownCopy(message, taking);
    else received(message, taking);
  },
};

/** Kept, and nothing else: history never makes an event (docs/durability.md, "History"). */
function fromHistory(message: NetworkMessage, taking: Taking): void {
  const { stores } = taking;
  if (message.from_me && stores.progress.find(message.message_id) !== null) return;
  if (message.sender !== null && !message.from_me) seePerson(message.sender, message.push_name, taking, false);
  const own = message.from_me ? BY_PHONE : NOT_OWN;
  const taken = stores.messages.takeIn(message, false, own, message.from_me ? message.timestamp * 1000 : null);
  if (taken === null) return;
  showInChat(message, taken.no, 0, taking);
  if (taken.early) applyEarly(message, taken.no, stores);
}

/** Live, or kept by the network while we were away: both are news. */
function received(message: NetworkMessage, taking: Taking): void {
  const { stores } = taking;
  const kind = chatKind(message.chat_id);
  if (message.sender !== null && kind !== "status") seePerson(message.sender, message.push_name, taking, true);
  const taken = stores.messages.takeIn(message, true, NOT_OWN, null);
  if (taken === null) return;
  showInChat(message, taken.no, taken.again ? 0 : 1, taking);
  // A status post is no message to this number; it is read through the status routes.
  if (kind !== "status") {
    const src = `received|${message.chat_id}|${message.message_id}${taken.again ? CONTENT : ""}`;
    taking.tellAs(src, { type: "message.received", message: freshRecord(message, NOT_OWN, null) }, message.timestamp);
  }
  if (taken.early) applyEarly(message, taken.no, stores);
}

/** Another device of the owner shows what was sent: by itself, or by us with an outcome that was open until now. */
function ownCopy(message: NetworkMessage, taking: Taking): void {
  const { stores } = taking;
  const known = stores.progress.find(message.message_id);
  if (known !== null) {
    if (known.announced) return standsIn(known, message, taking);
    if (known.source !== "phone") taking.out.confirmed.push(message.message_id);
    sentBefore(known, message, taking);
    return;
  }
  const taken = stores.messages.takeIn(message, true, BY_PHONE, message.timestamp * 1000);
  if (taken === null) return;
  showInChat(message, taken.no, 0, taking);
  tellSent(message, BY_PHONE, taking);
  if (taken.early) applyEarly(message, taken.no, stores);
}

/** A copy that could not be decrypted at first was told of without what it says. */
function standsIn(known: OwnMessage, message: NetworkMessage, taking: Taking): void {
  if (known.chatId !== message.chat_id) return;
  const taken = taking.stores.messages.takeIn(message, true, BY_PHONE, null);
  if (taken === null) return;
  showInChat(message, taken.no, 0, taking);
  tellSent(message, BY_PHONE, taking, CONTENT);
}

/** The network has a message that we had kept as accepted for sending: fills it in, and tells of it unless that was done. */
export function sentBefore(known: OwnMessage, message: NetworkMessage, taking: Taking): void {
  const own = { status: markAccepted(known.progress).status, failure: null, source: known.source, reference: known.reference };
  taking.stores.messages.fillIn(known.no, message, own, message.timestamp * 1000);
  showInChat(message, known.no, 0, taking);
  if (!known.announced) tellSent(message, own, taking);
}

/** `message.sent`, once per message whoever sent it (docs/events.md, "Facts"). */
export function tellSent(message: NetworkMessage, own: Own, taking: Taking, again = ""): void {
  const record = freshRecord(message, own, message.timestamp * 1000);
  taking.tellAs(sentSource(message.chat_id, message.message_id) + again, { type: "message.sent", message: record }, message.timestamp);
}

export function sentSource(chatId: string, messageId: string): string {
  return `sent|${chatId}|${messageId}`;
}

export function showInChat(message: NetworkMessage, no: number, unread: 0 | 1, { stores, now }: Taking): void {
  if (chatKind(message.chat_id) === "status") return;
  stores.chats.messageArrived({ chatId: message.chat_id, no, timestamp: message.timestamp, unread }, now);
}
