import type { MessageView } from "../messages/message-view.ts";
import { statement, type Database } from "./database.ts";

export interface MediaRecord {
  /** Hex sha256 of the decrypted file; null when it could not be fetched or opened. */
  sha256: string | null;
  mimetype: string;
  size: number;
  filename: string | null;
  seconds: number | null;
}

/** One message of a chat, as the phone stores it. `from` is digits (the LID when no phone is known). */
export interface MessageRecord extends MessageView {
  message_id: string;
  chat_id: string;
  from: string;
  from_me: boolean;
  timestamp: number;
  push_name: string | null;
  media: MediaRecord | null;
  reactions: Array<{ from: string; reaction: string }>;
  poll_votes: Array<{ from: string; options: string[] }>;
  edited: boolean;
  deleted: boolean;
  starred: boolean;
  pinned: boolean;
  read: boolean;
  played: boolean;
  /** How many more copies came under the same id. A phone shows one; a test may ask whether a second was sent. */
  duplicates: number;
  /** Own messages: the furthest receipt seen. */
  status: "pending" | "sent" | "delivered" | "read" | "played" | "failed" | null;
  error: string | null;
  labels: string[];
  /** The jids the wire used, without device part: receipts and keys must use the same ones. */
  wire: { chat: string; author: string };
}

export interface StoredMessage {
  record: MessageRecord;
  /** The wire form, decrypted: an encoded `proto.Message`. */
  content: Uint8Array;
}

export class Messages {
  readonly #db: Database;
  readonly #pn: string;

  constructor(db: Database, pn: string) {
    this.#db = db;
    this.#pn = pn;
  }

  find(chatId: string, messageId: string): StoredMessage | null {
    const row = statement(this.#db, "SELECT record, content FROM message WHERE pn = ? AND chat_id = ? AND message_id = ?").get(
      this.#pn,
      chatId,
      messageId,
    );
    return row ? parse(row) : null;
  }

  /** By id alone: receipts and votes do not reliably name the chat. */
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
  }

  /** Changes a message's record in place; false when the phone does not have it. */
  change(chatId: string, messageId: string, patch: (record: MessageRecord) => Partial<MessageRecord>): boolean {
    const stored = this.find(chatId, messageId);
    if (!stored) return false;
    this.put({ ...stored.record, ...patch(stored.record) }, stored.content);
    return true;
  }

  remove(chatId: string, messageId: string): void {
    statement(this.#db, "DELETE FROM message WHERE pn = ? AND chat_id = ? AND message_id = ?").run(this.#pn, chatId, messageId);
  }

  /** Those of a chat up to a time in Unix seconds. */
  removeChat(chatId: string, upTo: number): void {
    statement(this.#db, "DELETE FROM message WHERE pn = ? AND chat_id = ? AND at <= ?").run(this.#pn, chatId, upTo);
  }

  /** Oldest first; of one chat when `chatId` is given. */
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

  /** The chat with the newest message first. */
  chatIds(): string[] {
    const rows = statement(
      this.#db,
      "SELECT chat_id, MAX(at) AS newest, MAX(seq) AS last FROM message WHERE pn = ? GROUP BY chat_id ORDER BY newest DESC, last DESC",
    ).all(this.#pn);
    return rows.map((row) => String(row["chat_id"]));
  }

  /** Records a ciphertext's hash; false when it is known, which makes this stanza a redelivery. */
  claimCiphertext(digest: Uint8Array): boolean {
    return statement(this.#db, "INSERT OR IGNORE INTO opened (pn, digest) VALUES (?, ?)").run(this.#pn, digest).changes === 1;
  }

  wasOpened(digest: Uint8Array): boolean {
    return statement(this.#db, "SELECT 1 FROM opened WHERE pn = ? AND digest = ?").get(this.#pn, digest) !== undefined;
  }
}

// Only this class writes the columns.
function parse(row: Record<string, unknown>): StoredMessage {
  return { record: JSON.parse(String(row["record"])) as MessageRecord, content: row["content"] as Uint8Array };
}
