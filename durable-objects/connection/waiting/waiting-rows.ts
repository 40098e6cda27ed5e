// Stored waiting sends. Each moves to the outbox in one synchronous step, so that a crash neither loses nor repeats it.
import type { SendWindow } from "@gateway/domain/messages/send-window.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import type { Migrations } from "../../shared/migrate.ts";
import type { SendDetails } from "../outbox/outbox-rows.ts";
import { readNumber } from "../../shared/read-number.ts";

export const WAITING_MIGRATIONS: Migrations = [
  // `request` and `details` are as in the outbox. `bytes` is the total size of the files. Times are in Unix ms.
  `CREATE TABLE waiting_send (
     message_id TEXT PRIMARY KEY, chat_id TEXT NOT NULL, at INTEGER NOT NULL, until INTEGER NOT NULL, accepted_at INTEGER NOT NULL,
     bytes INTEGER NOT NULL, request TEXT NOT NULL, details TEXT NOT NULL
   ) WITHOUT ROWID;
   CREATE INDEX waiting_send_at ON waiting_send (at, accepted_at);`,
];

export type WaitingSend = SendWindow & { request: SendRequest; details: SendDetails; acceptedAt: number; bytes: number };
export type DueSend = { id: string; chatId: ChatId; at: number; until: number; acceptedAt: number };

export type StoredWaiting = {
  message_id: string;
  chat_id: string;
  at: number;
  until: number;
  accepted_at: number;
  bytes: number;
  request: string;
  details: string;
};

export class WaitingRows {
  readonly #sql: SqlStorage;
  /** The earliest `at`. Cached, because every event that the object handles needs it. */
  #first: number | null | undefined;
  #total: { count: number; bytes: number } | null = null;
  /** Sends with `at` up to `readTo`, in order. Cached, because each outcome reads them: 10,000 sends would be read 10,000 times. */
  #due: { readTo: number; sends: DueSend[] } = { readTo: -1, sends: [] };

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  firstAt(): number | null {
    // Null is cached too, so that a number without waiting sends reads the table once.
    if (this.#first === undefined) this.#first = readNumber(this.#sql, "SELECT MIN(at) FROM waiting_send");
    return this.#first;
  }

  firstAfter(time: number): number | null {
    return readNumber(this.#sql, "SELECT MIN(at) FROM waiting_send WHERE at > ?", time);
  }

  get total(): { count: number; bytes: number } {
    this.#total ??= this.#sql
      .exec<{ count: number; bytes: number }>("SELECT COUNT(*) AS count, COALESCE(SUM(bytes), 0) AS bytes FROM waiting_send")
      .one();
    return this.#total;
  }

  find(id: string): WaitingSend | null {
    const row = this.#sql.exec<StoredWaiting>("SELECT * FROM waiting_send WHERE message_id = ?", id).toArray()[0];
    return row === undefined ? null : sendOf(row);
  }

  put({ request, details, at, until, acceptedAt, bytes }: WaitingSend): void {
    this.remove(request.message_id);
    this.#sql.exec(
      `INSERT INTO waiting_send (message_id, chat_id, at, until, accepted_at, bytes, request, details)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      request.message_id,
      request.chat_id,
      at,
      until,
      acceptedAt,
      bytes,
      JSON.stringify(request),
      JSON.stringify(details),
    );
    this.#first = undefined;
    if (this.#total !== null) this.#total = { count: this.#total.count + 1, bytes: this.#total.bytes + bytes };
    const { readTo, sends } = this.#due;
    if (at > readTo) return;
    const send = { id: request.message_id, chatId: request.chat_id, at, until, acceptedAt };
    sends.splice(sends.findLastIndex((each) => leavesBefore(each, send)) + 1, 0, send);
  }

  remove(id: string): void {
    const [removed] = this.#sql.exec<{ bytes: number }>("DELETE FROM waiting_send WHERE message_id = ? RETURNING bytes", id).toArray();
    const { sends } = this.#due;
    const index = sends.findIndex((each) => each.id === id);
    if (index !== -1) sends.splice(index, 1);
    if (removed === undefined) return;
    this.#first = undefined;
    if (this.#total !== null) this.#total = { count: this.#total.count - 1, bytes: this.#total.bytes - removed.bytes };
  }

  /** Returns the sends that are due, in the order in which they are dispatched. */
  due(now: number): DueSend[] {
    const { readTo, sends } = this.#due;
    if (now > readTo) {
      const further = this.#sql.exec<DueSend>(
        `SELECT message_id AS id, chat_id AS chatId, at, until, accepted_at AS acceptedAt FROM waiting_send
         WHERE at > ? AND at <= ? ORDER BY at, accepted_at, message_id`,
        readTo,
        now,
      );
      this.#due = { readTo: now, sends: [...sends, ...further] };
    }
    return this.#due.sends.filter(({ at }) => at <= now);
  }

  /** One page in order of time, starting after this key. `chatIds` is JSON of the chat's ids, or null for all chats. */
  list(after: readonly (string | number)[], chatIds: string | null, limit: number): Iterable<StoredWaiting> {
    return this.#sql.exec<StoredWaiting>(
      `SELECT * FROM waiting_send
       WHERE (at, accepted_at, message_id) > (?, ?, ?) AND (?4 IS NULL OR chat_id IN (SELECT value FROM json_each(?4)))
       ORDER BY at, accepted_at, message_id LIMIT ?5 + 0`,
      ...after,
      chatIds,
      limit,
    );
  }

  ids(chatIds: string | null): string[] {
    const query = "SELECT message_id AS id FROM waiting_send WHERE ?1 IS NULL OR chat_id IN (SELECT value FROM json_each(?1))";
    return this.#sql
      .exec<{ id: string }>(query, chatIds)
      .toArray()
      .map(({ id }) => id);
  }

  resetCache(): void {
    this.#first = undefined;
    this.#total = null;
    this.#due = { readTo: -1, sends: [] };
  }
}

function leavesBefore(one: DueSend, other: DueSend): boolean {
  if (one.at !== other.at) return one.at < other.at;
  return one.acceptedAt === other.acceptedAt ? one.id < other.id : one.acceptedAt < other.acceptedAt;
}

export function sendOf(row: StoredWaiting): WaitingSend {
  return {
    at: row.at,
    until: row.until,
    acceptedAt: row.accepted_at,
    bytes: row.bytes,
    request: JSON.parse(row.request) as SendRequest,
    details: JSON.parse(row.details) as SendDetails,
  };
}
