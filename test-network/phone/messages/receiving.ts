// Decrypts and stores incoming messages one at a time, and only then acks them.
import { createHash } from "node:crypto";
import { decryptMessageNode, type BinaryNode } from "baileys";
import pino from "pino";
import { childrenOf } from "../../node.ts";
import { envelopeOf, type Envelope, type Filed } from "./envelope.ts";
import { answerDataRequest } from "../history.ts";
import { fileMessage } from "./inbox.ts";
import type { PhoneDependencies } from "../dependencies.ts";
import { acknowledge, confirmArrival, reportSeen } from "./receipts.ts";
import { askForRetry } from "./retries.ts";

const silent = pino({ level: "silent" });

export interface Arrival {
  envelope: Envelope;
  filed: Filed;
}

export async function receiveMessage(phone: PhoneDependencies, stanza: BinaryNode): Promise<Arrival | null> {
  const digest = ciphertextDigest(stanza);
  // The server redelivers unacknowledged stanzas, whose message key is already used, so this one is only acked again.
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

/** Equal for redeliveries of one ciphertext, different after a new encryption. */
function ciphertextDigest(stanza: BinaryNode): Buffer {
  const hash = createHash("sha256");
  hash.update(`${stanza.attrs["from"]}|${stanza.attrs["participant"] ?? ""}|${stanza.attrs["id"]}`);
  for (const { tag, content } of childrenOf(stanza)) {
    if ((tag === "enc" || tag === "plaintext") && content instanceof Uint8Array) hash.update(content);
  }
  return hash.digest();
}
