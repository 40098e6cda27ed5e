// Webhook changes that wait for the connection, for a chat's file, or for capacity. Applied in order per chat.
import type { ChatId } from "@gateway/protocol/ids.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import type { SingleChange } from "./single-changes.ts";
import { countRows, readNumber } from "../../shared/read-number.ts";

const MAX_ROWS = 50_000;
const MAX_UNREAD = 200;
const UNREAD_MS = 7 * DAY_MS;
const MAX_UNREAD_CHARACTERS = 100_000;

export type InboxRow = { no: number; chat: ChatId | null; change: SingleChange; receivedAt: number; wantedAt: number | null };

type StoredRow = { no: number; chat: string | null; change: string; received_at: number; wanted_at: number | null };

const FILE_WAIT_MS = 10_000;

const IS_HELD = "EXISTS (SELECT 1 FROM cloud_inbox w WHERE w.chat = i.chat AND w.no < i.no AND w.due_at > ?1)";
const APPLICABLE = `(i.due_at IS NULL OR i.due_at <= ?1) AND NOT ${IS_HELD}`;

export class CloudInbox {
  readonly #sql: SqlStorage;
  #rows: number | undefined;
  #unreadDue: number | null | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get isEmpty(): boolean {
    return this.#count() === 0;
  }

  hasSpaceFor(rows: number): boolean {
    return this.#count() + rows <= MAX_ROWS;
  }

  has(chat: ChatId): boolean {
    return !this.isEmpty && this.#sql.exec("SELECT 1 FROM cloud_inbox WHERE chat = ? LIMIT 1", chat).toArray().length > 0;
  }

  add(change: SingleChange, chat: ChatId | null, waits: boolean, now: number): void {
    const rows = this.#count();
    this.#sql.exec(
      "INSERT INTO cloud_inbox (chat, change, received_at, wanted_at, due_at) VALUES (?, ?, ?, ?, ?)",
      chat,
      JSON.stringify(change),
      now,
      waits ? now : null,
      waits ? now + FILE_WAIT_MS : null,
    );
    this.#rows = rows + 1;
  }

  waitForFile(no: number, wantedAt: number): void {
    this.#sql.exec("UPDATE cloud_inbox SET wanted_at = ?, due_at = ? WHERE no = ?", wantedAt, wantedAt + FILE_WAIT_MS, no);
  }

  /** Called when the file that this chat waits for has arrived or will not arrive. The chat's waiting rows are then checked again. */
  release(chat: ChatId): void {
    if (!this.isEmpty) this.#sql.exec("UPDATE cloud_inbox SET due_at = NULL WHERE chat = ? AND due_at IS NOT NULL", chat);
  }

  next(limit: number, now: number): InboxRow[] {
    if (this.isEmpty) return [];
    return this.#sql
      .exec<StoredRow>(
        `SELECT no, chat, change, received_at, wanted_at FROM cloud_inbox i WHERE ${APPLICABLE} ORDER BY no LIMIT ?2`,
        now,
        limit,
      )
      .toArray()
      .map(({ change, received_at: receivedAt, wanted_at: wantedAt, ...row }) => ({
        ...row,
        change: JSON.parse(change) as SingleChange,
        receivedAt,
        wantedAt,
      }));
  }

  remove(rows: readonly InboxRow[]): void {
    const before = this.#count();
    this.#sql.exec("DELETE FROM cloud_inbox WHERE no IN (SELECT value FROM json_each(?))", JSON.stringify(rows.map(({ no }) => no)));
    this.#rows = before - rows.length;
  }

  nextDue(now: number): number | null {
    if (this.isEmpty) return null;
    if (this.#sql.exec(`SELECT 1 FROM cloud_inbox i WHERE ${APPLICABLE} LIMIT 1`, now).toArray().length > 0) return now;
    return readNumber(this.#sql, "SELECT MIN(due_at) FROM cloud_inbox WHERE due_at IS NOT NULL");
  }

  storeUnread(field: string, reason: string, raw: string, now: number): void {
    const kept = raw.slice(0, MAX_UNREAD_CHARACTERS);
    this.#sql.exec("DELETE FROM cloud_unread WHERE raw = ?", kept);
    this.#sql.exec("INSERT INTO cloud_unread (kept_at, field, reason, raw) VALUES (?, ?, ?, ?)", now, field, reason, kept);
    this.#sql.exec("DELETE FROM cloud_unread WHERE no <= (SELECT MAX(no) FROM cloud_unread) - ?", MAX_UNREAD);
    this.#unreadDue = undefined;
  }

  unreadDue(): number | null {
    if (this.#unreadDue !== undefined) return this.#unreadDue;
    const at = readNumber(this.#sql, "SELECT MIN(kept_at) FROM cloud_unread");
    return (this.#unreadDue = at === null ? null : at + UNREAD_MS);
  }

  forgetUnread(now: number): void {
    this.#sql.exec("DELETE FROM cloud_unread WHERE kept_at <= ?", now - UNREAD_MS);
    this.#unreadDue = undefined;
  }

  forgetCounts(): void {
    this.#rows = undefined;
    this.#unreadDue = undefined;
  }

  #count(): number {
    this.#rows ??= countRows(this.#sql, "cloud_inbox");
    return this.#rows;
  }
}
