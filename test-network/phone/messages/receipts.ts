// Receipts in both directions. The phone's `receipts` option controls which ones it sends. Received ones update its messages.
import { isJidNewsletter, type BinaryNode } from "baileys";
import { child, children, node, nowSeconds } from "../../node.ts";
import { chatIdOf, isSharedChat, personOf, STATUS_FEED } from "../addresses.ts";
import { markRead } from "../chats.ts";
import type { Envelope } from "./envelope.ts";
import type { PhoneDependencies } from "../dependencies.ts";
import type { MessageRecord } from "../store/messages.ts";

const PLAYABLE = new Set(["audio", "voice", "video"]);
const RANK = { pending: 0, failed: 0, sent: 1, delivered: 2, read: 3, played: 4 } as const;
type OwnStatus = keyof typeof RANK;

/** Acks a stanza without sending its author a receipt. */
export function acknowledge(phone: PhoneDependencies, stanza: BinaryNode): void {
  const { id, from, participant, type } = stanza.attrs;
  phone.link.send(node("ack", { class: stanza.tag, id, to: from, participant, type }));
}

/** Sends the receipts that are due as soon as a message is stored. */
export function confirmArrival(phone: PhoneDependencies, stanza: BinaryNode, envelope: Envelope): void {
  const { from, participant, id, category } = stanza.attrs;
  if (isJidNewsletter(from)) return acknowledge(phone, stanza);
  if (category === "peer") return phone.link.send(node("receipt", { id, to: from, type: "peer_msg" }));
  if (envelope.from_me)
    return phone.link.send(node("receipt", { id, to: from, participant, recipient: stanza.attrs["recipient"], type: "sender" }));
  if (phone.identity.options.receipts === "none") return acknowledge(phone, stanza);
  phone.link.send(node("receipt", { id, to: from, participant }));
}

export function reportSeen(phone: PhoneDependencies, record: MessageRecord): void {
  if (record.from_me) return;
  const { receipts } = phone.identity.options;
  if (receipts === "read" || receipts === "played") sendRead(phone, record.chat_id, [record]);
  if (receipts === "played" && PLAYABLE.has(record.type)) sendPlayed(phone, [record]);
}

/** Marks messages up to a time (Unix seconds) as read. Returns their number. */
export function readChat(phone: PhoneDependencies, chatId: string, upTo = Number.MAX_SAFE_INTEGER): number {
  const unread = phone.messages
    .list(chatId)
    .map(({ record }) => record)
    .filter(({ from_me, read, timestamp }) => !from_me && !read && timestamp <= upTo);
  sendRead(phone, chatId, unread);
  return unread.length;
}

/** Plays all unplayed voice messages and videos of the chat, or only the given message. */
export function playChat(phone: PhoneDependencies, chatId: string, messageId?: string): number {
  const unplayed = phone.messages
    .list(chatId)
    .map(({ record }) => record)
    .filter(({ from_me, played, type }) => !from_me && !played && PLAYABLE.has(type))
    .filter(({ message_id }) => messageId === undefined || message_id === messageId);
  sendPlayed(phone, unplayed);
  return unplayed.length;
}

export function receiveReceipt(phone: PhoneDependencies, stanza: BinaryNode): void {
  const { type = "delivered", from = "", participant, recipient } = stanza.attrs;
  const ids = [stanza.attrs["id"] ?? "", ...children(child(stanza, "list"), "item").map((item) => item.attrs["id"] ?? "")];
  const reader = personOf(participant ?? from, phone.link.directory);
  phone.commit(() => {
    for (const id of ids) {
      if (reader === phone.pn) markReadElsewhere(phone, id, type, recipient ?? from);
      else if (type !== "retry") noteReceipt(phone, id, reader, type);
    }
  });
  acknowledge(phone, stanza);
}

function noteReceipt(phone: PhoneDependencies, id: string, reader: string, kind: string): void {
  const receipt = { message_id: id, from: reader, kind, timestamp: Number(nowSeconds()) };
  phone.receipts.add(receipt);
  phone.observer.onReceipt(phone, receipt);
  const own = phone.messages.findAnywhere(id)?.record;
  if (!own?.from_me || !(kind in RANK)) return;
  const status = kind as OwnStatus;
  phone.messages.change(own.chat_id, id, (record) => (RANK[record.status ?? "pending"] < RANK[status] ? { status } : {}));
}

function markReadElsewhere(phone: PhoneDependencies, id: string, type: string, chatJid: string): void {
  if (type !== "read" && type !== "read-self" && type !== "played" && type !== "played-self") return;
  const chatId = phone.messages.findAnywhere(id)?.record.chat_id ?? chatIdOf(chatJid, phone.link.directory);
  markRead(phone, chatId, [id], type.startsWith("played") ? { played: true } : {});
}

function sendRead(phone: PhoneDependencies, chatId: string, records: readonly MessageRecord[]): void {
  for (const [first, ...rest] of byAuthor(records)) {
    if (first) phone.link.send(receiptFor(first, rest, readsInSilence(phone, chatId) ? "read-self" : "read"));
  }
  phone.commit(() =>
    markRead(
      phone,
      chatId,
      records.map(({ message_id }) => message_id),
    ),
  );
}

function sendPlayed(phone: PhoneDependencies, records: readonly MessageRecord[]): void {
  for (const [first, ...rest] of byAuthor(records)) {
    if (first) phone.link.send(receiptFor(first, rest, "played"));
  }
  phone.commit(() => {
    for (const { chat_id, message_id } of records) markRead(phone, chat_id, [message_id], { played: true });
  });
}

/** True if the account's privacy setting disables read receipts. Groups always get them. */
function readsInSilence(phone: PhoneDependencies, chatId: string): boolean {
  return !isSharedChat(chatId) && phone.link.account(phone.pn)?.privacy["readreceipts"] === "none";
}

function receiptFor(first: MessageRecord, rest: readonly MessageRecord[], type: "read" | "read-self" | "played"): BinaryNode {
  const { wire, message_id } = first;
  const shared = wire.chat.endsWith("@g.us") || wire.chat === STATUS_FEED;
  const items = rest.map((record) => node("item", { id: record.message_id }));
  return node(
    "receipt",
    { id: message_id, to: wire.chat, participant: shared ? wire.author : undefined, type, t: nowSeconds() },
    items.length > 0 ? [node("list", {}, items)] : undefined,
  );
}

/** Groups messages by author, because a receipt can list only one author's messages. */
function byAuthor(records: readonly MessageRecord[]): MessageRecord[][] {
  return [...Map.groupBy(records, ({ wire }) => `${wire.chat}|${wire.author}`).values()];
}
