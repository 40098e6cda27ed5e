// Rows `sent|<message id>` store each of our messages in wire form before it is sent. They are read for retry receipts and recalls.
import { proto } from "baileys";
import { createHash } from "node:crypto";
import type { Rows } from "../session/session-context.ts";
import { unpooled } from "#bridge/store/row-codec.ts";
import { boundedCache } from "../session/per-session.ts";

export type SentMessage = { jid: string; message: proto.IMessage };

export function putSent(rows: Rows, messageId: string, sent: SentMessage): void {
  const jid = Buffer.from(sent.jid, "utf8");
  const length = Buffer.alloc(2);
  length.writeUInt16BE(jid.length);
  rows.put(`sent|${messageId}`, Buffer.concat([length, jid, proto.Message.encode(sent.message).finish()]));
}

/** Call it when the message certainly did not reach its recipient. The object treats the row as a sign that it may have done so. */
export function deleteSent(rows: Rows, messageId: string): void {
  rows.put(`sent|${messageId}`, null);
}

export async function fetchSent(rows: Rows, messageId: string): Promise<SentMessage | null> {
  const row = (await rows.fetchCold([`sent|${messageId}`])).get(`sent|${messageId}`);
  if (!Buffer.isBuffer(row) || row.length < 2) return null;
  const end = 2 + row.readUInt16BE(0);
  return { jid: row.toString("utf8", 2, end), message: proto.Message.decode(row.subarray(end)) };
}

// Plaintexts of decrypted messages. A ratchet can decrypt each ciphertext only once, so redelivered messages are read from here.
const PLAINTEXT_CACHE_SIZE = 200;
const MAX_CACHED_BYTES = 16_384;

export class PlaintextCache {
  readonly #rows: Pick<Rows, "fetchCold">;
  readonly #recent = boundedCache<string, Buffer>(PLAINTEXT_CACHE_SIZE);

  constructor(rows: Pick<Rows, "fetchCold">) {
    this.#rows = rows;
  }

  idOf(ciphertext: Uint8Array): string {
    return createHash("sha256").update(ciphertext).digest("base64url");
  }

  get(id: string): Buffer | undefined {
    return this.#recent.get(id);
  }

  add(id: string, plaintext: Buffer): void {
    if (plaintext.length <= MAX_CACHED_BYTES) this.#recent.set(id, unpooled(plaintext));
  }

  async fetchStored(id: string): Promise<Buffer | undefined> {
    const name = `plain|${id}`;
    const row = (await this.#rows.fetchCold([name])).get(name);
    return Buffer.isBuffer(row) ? row : undefined;
  }
}
