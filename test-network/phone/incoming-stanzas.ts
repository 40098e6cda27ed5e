import { type BinaryNode, type WAPatchName, generateMessageIDV2, decryptMessageNode } from "baileys";
import { createHash } from "node:crypto";
import pino from "pino";
import { childrenOf } from "../node.ts";
import { pullAppState } from "./app-state.ts";
import { receiveCall } from "./calls.ts";
import { rotateSenderKey } from "./messages/dispatch.ts";
import { answerLostMedia } from "./messages/lost-media.ts";
import type { PhoneDependencies } from "./dependencies.ts";
import { receiveDoing, receivePresence } from "./presence.ts";
import { learnPushName } from "./profile.ts";
import { acknowledge, receiveReceipt, confirmArrival, reportSeen } from "./messages/receipts.ts";
import { answerRetry, askForRetry } from "./messages/retries.ts";
import { isSharedChat } from "./addresses.ts";
import { sendContent } from "./messages/sending.ts";
import type { MessageRecord } from "./store/messages.ts";
import { envelopeOf, type Envelope, type Filed } from "./messages/envelope.ts";
import { answerDataRequest } from "./history.ts";
import { fileMessage } from "./messages/inbox.ts";

/** Marks echoed messages, so that two echo phones do not reply to each other forever. */
const ECHO_ID = "3EB0EC40";

type Handler = (phone: PhoneDependencies, stanza: BinaryNode) => void | Promise<void>;

const HANDLERS: Readonly<Record<string, Handler>> = {
  message: takeMessage,
  status: takeStatus,
  receipt: takeReceipt,
  ack: takeAck,
  notification: takeNotification,
  call: receiveCall,
  presence: receivePresence,
  chatstate: receiveDoing,
};

export async function takeIn(phone: PhoneDependencies, stanza: BinaryNode): Promise<void> {
  await HANDLERS[stanza.tag]?.(phone, stanza);
}

function takeReceipt(phone: PhoneDependencies, stanza: BinaryNode): void | Promise<void> {
  switch (stanza.attrs["type"]) {
    case "retry":
      return answerRetry(phone, stanza);
    case "server-error":
      return answerLostMedia(phone, stanza);
    default:
      return receiveReceipt(phone, stanza);
  }
}

async function takeMessage(phone: PhoneDependencies, stanza: BinaryNode): Promise<void> {
  const arrival = await receiveMessage(phone, stanza);
  if (arrival?.filed.kind !== "message") return;
  const { record } = arrival.filed;
  if (!record.from_me) learnPushName(phone, record.from, record.push_name);
  await echo(phone, record);
}

/** A status post is a message with its own stanza tag, which needs its own ack. */
async function takeStatus(phone: PhoneDependencies, stanza: BinaryNode): Promise<void> {
  await takeMessage(phone, { ...stanza, tag: "message" });
  acknowledge(phone, stanza);
}

function takeAck(phone: PhoneDependencies, { attrs }: BinaryNode): void {
  if (attrs["class"] !== "message") return;
  const own = phone.messages.findAnywhere(attrs["id"] ?? "")?.record;
  if (own?.status !== "pending") return;
  const error = attrs["error"] ?? null;
  phone.commit(() => phone.messages.change(own.chat_id, own.message_id, () => ({ status: error === null ? "sent" : "failed", error })));
}

async function takeNotification(phone: PhoneDependencies, stanza: BinaryNode): Promise<void> {
  const { type, from = "" } = stanza.attrs;
  const changes = childrenOf(stanza);
  if (type === "server_sync") {
    for (const { tag, attrs } of changes) if (tag === "collection") await pullAppState(phone, attrs["name"] as WAPatchName);
  }
  if (type === "w:gp2" && changes.some(({ tag }) => tag === "remove" || tag === "leave")) rotateSenderKey(phone, from);
  if (from.endsWith("@g.us")) phone.commit(() => phone.observer.onGroup(phone, stanza));
  acknowledge(phone, stanza);
}

/** A demo contact that replies with the received text. */
async function echo(phone: PhoneDependencies, received: MessageRecord): Promise<void> {
  const { chat_id, from_me, message_id, text, type } = received;
  if (phone.identity.options.reply !== "echo" || from_me || type !== "text" || text === null) return;
  if (isSharedChat(chat_id) || message_id.startsWith(ECHO_ID)) return;
  const messageId = `${ECHO_ID}${generateMessageIDV2(phone.jid).slice(ECHO_ID.length)}`;
  await sendContent(phone, chat_id, { type: "text", text }, { messageId });
}

// Decrypts and stores incoming messages one at a time, and only then acks them.
const silent = pino({ level: "silent" });

type Arrival = {
  envelope: Envelope;
  filed: Filed;
};

async function receiveMessage(phone: PhoneDependencies, stanza: BinaryNode): Promise<Arrival | null> {
  const digest = ciphertextDigest(stanza);
  // A message can be decrypted only once, so a redelivered one that was decrypted before is only acknowledged again.
  if (phone.messages.wasOpened(digest)) {
    acknowledge(phone, stanza);
    return null;
  }
  const opened = decryptMessageNode(stanza, phone.jid, phone.lid, phone.signal, silent);
  await opened.decrypt();
  const { fullMessage } = opened;
  if (fullMessage.messageStubType !== undefined || !fullMessage.message) return refuse(phone, stanza);

  const envelope = envelopeOf(fullMessage, opened.author, phone.link.directory, (chatId) => phone.messages.newest(chatId) !== null);
  const { message } = fullMessage;
  const filed = phone.commit(() => {
    phone.messages.claimCiphertext(digest);
    const filed = fileMessage(phone, envelope, message);
    phone.observer.onMessage(phone, { envelope, message, filed });
    return filed;
  });
  phone.counters.received += filed.kind === "message" ? 1 : 0;
  phone.counters.duplicates += filed.kind === "duplicate" ? 1 : 0;
  confirmArrival(phone, stanza, envelope);
  await answerDataRequest(phone, stanza, message);
  if (filed.kind === "message") reportSeen(phone, filed.record);
  return { envelope, filed };
}

async function refuse(phone: PhoneDependencies, stanza: BinaryNode): Promise<null> {
  phone.keys.discard();
  phone.counters.undecryptable += 1;
  await askForRetry(phone, stanza);
  return null;
}

/** Redeliveries of one ciphertext have the same digest. Re-encryption changes it. */
function ciphertextDigest(stanza: BinaryNode): Buffer {
  const hash = createHash("sha256");
  hash.update(`${stanza.attrs["from"]}|${stanza.attrs["participant"] ?? ""}|${stanza.attrs["id"]}`);
  for (const { tag, content } of childrenOf(stanza)) {
    if ((tag === "enc" || tag === "plaintext") && content instanceof Uint8Array) hash.update(content);
  }
  return hash.digest();
}
