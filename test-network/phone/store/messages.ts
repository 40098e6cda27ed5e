import type { ShownMessage } from "../views.ts";
import { statement, type Database } from "./database.ts";

export type MessageRecord = ShownMessage & {
  /** The JIDs used on the wire, without the device part. Receipts and message keys must use the same ones. */
  wire: { chat: string; author: string };
};

export type StoredMessage = {
  record: MessageRecord;
  /** The decrypted wire form, which is an encoded `proto.Message`. */
  content: Uint8Array;
};

export class Messages {
  readonly #db: Database;
  readonly #pn: string;
  readonly #changed: (chatId: string) => void;

  constructor(db: Database, pn: string, changed: (chatId: string) => void) {
    this.#db = db;
    this.#pn = pn;
    this.#changed = changed;
  }

  find(chatId: string, messageId: string): StoredMessage | null {
    const row = statement(this.#db, "SELECT record, content FROM message WHERE pn = ? AND chat_id = ? AND message_id = ?").get(
      this.#pn,
      chatId,
      messageId,
    );
    return row ? parse(row) : null;
  }

  /** Searches by id only, because receipts and votes do not reliably include the chat. */
  findAnywhere(messageId: string): StoredMessage | null {
    const row = statement(this.#db, "SELECT record, content FROM message WHERE pn = ? AND message_id = ? LIMIT 1").get(this.#pn, messageId);
    return row ? parse(row) : null;
  }

  put(record: MessageRecord, content: Uint8Array): void {
    statement(
      this.#db,
      `INSERT INTO message (pn, chat_id, message_id, at, record, content) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (pn, chat_id, message_id) DO UPDATE SET record = excluded.record, content = excluded.content`,
    ).run(this.#pn, record.chat_id, record.message_id, record.timestamp, JSON.stringify(record), content);
    this.#changed(record.chat_id);
  }

  change(chatId: string, messageId: string, patch: (record: MessageRecord) => Partial<MessageRecord>): boolean {
    const stored = this.find(chatId, messageId);
    if (!stored) return false;
    const changes = patch(stored.record);
    if (Object.keys(changes).length > 0) this.put({ ...stored.record, ...changes }, stored.content);
    return true;
  }

  remove(chatId: string, messageId: string): void {
    statement(this.#db, "DELETE FROM message WHERE pn = ? AND chat_id = ? AND message_id = ?").run(this.#pn, chatId, messageId);
    this.#changed(chatId);
  }

  removeChat(chatId: string, upTo: number): void {
    statement(this.#db, "DELETE FROM message WHERE pn = ? AND chat_id = ? AND at <= ?").run(this.#pn, chatId, upTo);
    this.#changed(chatId);
  }

  list(chatId?: string): StoredMessage[] {
    const rows =
      chatId === undefined
        ? statement(this.#db, "SELECT record, content FROM message WHERE pn = ? ORDER BY at, seq").all(this.#pn)
        : statement(this.#db, "SELECT record, content FROM message WHERE pn = ? AND chat_id = ? ORDER BY at, seq").all(this.#pn, chatId);
    return rows.map(parse);
  }

  newest(chatId: string): StoredMessage | null {
    const row = statement(
      this.#db,
      "SELECT record, content FROM message WHERE pn = ? AND chat_id = ? ORDER BY at DESC, seq DESC LIMIT 1",
    ).get(this.#pn, chatId);
    return row ? parse(row) : null;
  }

  chatIds(): string[] {
    const rows = statement(
      this.#db,
      "SELECT chat_id, MAX(at) AS newest, MAX(seq) AS last FROM message WHERE pn = ? GROUP BY chat_id ORDER BY newest DESC, last DESC",
    ).all(this.#pn);
    return rows.map((row) => String(row["chat_id"]));
  }

  /** Returns false if the hash is already stored, because the stanza is then a redelivery. */
  claimCiphertext(digest: Uint8Array): boolean {
    return statement(this.#db, "INSERT OR IGNORE INTO opened (pn, digest) VALUES (?, ?)").run(this.#pn, digest).changes === 1;
  }

  wasOpened(digest: Uint8Array): boolean {
    return statement(this.#db, "SELECT 1 FROM opened WHERE pn = ? AND digest = ?").get(this.#pn, digest) !== undefined;
  }
}

function parse(row: Record<string, unknown>): StoredMessage {
  return { record: JSON.parse(String(row["record"])) as MessageRecord, content: row["content"] as Uint8Array };
}

/** A receipt for one of the phone's own messages. `kind` is as on the wire, or `delivered`. */
export type ReceiptRecord = {
  message_id: string;
  from: string;
  kind: string;
  timestamp: number;
};

export class Receipts {
  readonly #db: Database;
  readonly #pn: string;

  constructor(db: Database, pn: string) {
    this.#db = db;
    this.#pn = pn;
  }

  add(receipt: ReceiptRecord): void {
    statement(this.#db, "INSERT OR IGNORE INTO receipt (pn, message_id, sender, kind, at) VALUES (?, ?, ?, ?, ?)").run(
      this.#pn,
      receipt.message_id,
      receipt.from,
      receipt.kind,
      receipt.timestamp,
    );
  }

  list(messageId?: string): ReceiptRecord[] {
    const rows =
      messageId === undefined
        ? statement(this.#db, "SELECT * FROM receipt WHERE pn = ? ORDER BY seq").all(this.#pn)
        : statement(this.#db, "SELECT * FROM receipt WHERE pn = ? AND message_id = ? ORDER BY seq").all(this.#pn, messageId);
    return rows.map((row) => ({
      message_id: String(row["message_id"]),
      from: String(row["sender"]),
      kind: String(row["kind"]),
      timestamp: Number(row["at"]),
    }));
  }
}
