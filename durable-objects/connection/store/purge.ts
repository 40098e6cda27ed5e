// Deletes expired data in batches, once an hour, so that an idle object does not wake for each row.
import { STATUS_FEED, STATUS_POST_SECONDS } from "../statuses/status-posts.ts";
import { deletionOfOrphans, MESSAGE_TABLES } from "../messages/messages.ts";
import type { Grid, StoredTime } from "@gateway/domain/spread.ts";
import type { TimeColumn } from "../../shared/clock-steps.ts";
import { DAY_MS, earliest } from "@gateway/protocol/units.ts";

const PURGE_BATCH_ROWS = 500;

/** `oldest` is a query for the time of the oldest row (Unix ms). `purge` binds the latest time to delete and the number of rows. */
type RetainedRows = { retentionMs: number; oldest: string; purge: string };

type NumberedTable = readonly [table: string, at: string, retentionMs?: number];

/** Tables numbered in arrival order, so that the oldest rows are found without an index on time. */
const NUMBERED: readonly NumberedTable[] = [
  ["dedupe_key", "seen_at"],
  ["removed_messages", "removed_at"],
  ["out_of_order", "noted_at"],
  ["reconnects", "at"],
  ["status_audiences", "kept_at", STATUS_POST_SECONDS * 1000],
];

export const NUMBERED_TIMES = NUMBERED.map(([table, column]): TimeColumn => ({ table, column, longestMs: 0, order: "no" }));

const numbered = ([table, at, retentionMs = 8 * DAY_MS]: NumberedTable): RetainedRows => ({
  retentionMs,
  oldest: `SELECT ${at} AS at FROM ${table} ORDER BY no LIMIT 1`,
  purge: `DELETE FROM ${table} WHERE no IN (SELECT no FROM (SELECT no, ${at} AS at FROM ${table} ORDER BY no LIMIT ?2) WHERE at <= ?1) RETURNING no`,
});

const RETAINED: readonly RetainedRows[] = [
  ...NUMBERED.map(numbered),
  {
    retentionMs: 7 * DAY_MS,
    oldest: "SELECT timestamp * 1000 AS at FROM calls ORDER BY timestamp LIMIT 1",
    purge: `DELETE FROM calls WHERE call_id IN
      (SELECT call_id FROM calls WHERE timestamp <= ?1 / 1000 ORDER BY timestamp LIMIT ?2) RETURNING call_id`,
  },
  {
    retentionMs: STATUS_POST_SECONDS * 1000,
    oldest: `SELECT timestamp * 1000 AS at FROM messages WHERE chat_id = '${STATUS_FEED}' ORDER BY timestamp LIMIT 1`,
    purge: `DELETE FROM messages WHERE no IN
      (SELECT no FROM messages WHERE chat_id = '${STATUS_FEED}' AND timestamp <= ?1 / 1000 ORDER BY timestamp LIMIT ?2) RETURNING message_id`,
  },
];

/** Tables whose rows may refer to a message that is not stored, each with the expression for a row's time (Unix seconds). */
const ABOUT_MESSAGES = { reactions: "timestamp", votes: "timestamp", receipts: "COALESCE(played_at, read_at, delivered_at) / 1000" };

const OLDEST_MESSAGE = "SELECT timestamp FROM messages INDEXED BY messages_of_side WHERE from_me = ? ORDER BY timestamp, place LIMIT 1";
const EXPIRED_MESSAGES = `SELECT no, chat_id FROM messages INDEXED BY messages_of_side
  WHERE from_me = ? AND timestamp <= ? ORDER BY timestamp, place LIMIT ?`;

export class StorePurge {
  readonly #sql: SqlStorage;
  readonly #hours: Grid;
  readonly #messageDays: () => number | null;
  readonly #onMessagesRemoved: (chatId: string) => void;
  /** Time of the last search for orphans: rows that refer to a message that is not stored. */
  readonly #searched: StoredTime;
  /** When the next row expires. Cached until rows are deleted, because new rows expire later. */
  #due: number | null = null;

  /** `messageDays` is the retention of messages, or null. `onMessagesRemoved` is called per chat in the same block. */
  constructor(
    sql: SqlStorage,
    messageDays: () => number | null,
    onMessagesRemoved: (chatId: string) => void,
    hours: Grid,
    searched: StoredTime,
  ) {
    this.#hours = hours;
    this.#searched = searched;
    this.#sql = sql;
    this.#messageDays = messageDays;
    this.#onMessagesRemoved = onMessagesRemoved;
  }

  clockSetBack(): void {
    this.#due = null;
  }

  nextDue(): number | null {
    this.#due ??= this.#nextExpiry();
    return earliest([this.#due, this.#messagesDue()]);
  }

  run(now: number): void {
    if ((this.#messagesDue() ?? Number.POSITIVE_INFINITY) <= now) this.#purgeMessages(now);
    this.#due ??= this.#nextExpiry();
    if (this.#due === null || this.#due > now) return;
    let rowsLeft = PURGE_BATCH_ROWS;
    for (const { retentionMs, purge } of RETAINED) {
      if (rowsLeft > 0) rowsLeft -= this.#sql.exec(purge, now - retentionMs, rowsLeft).toArray().length;
    }
    this.#due = rowsLeft > 0 ? this.#purgeStatusReactions() : now;
  }

  /** The result is not cached, because a history sync stores messages older than all others. */
  #messagesDue(): number | null {
    const days = this.#messageDays();
    if (days === null) return null;
    const oldest = [0, 1].flatMap((fromMe) => this.#sql.exec<{ timestamp: number }>(OLDEST_MESSAGE, fromMe).toArray());
    if (oldest.length === 0) return null;
    return this.#hours(Math.min(...oldest.map(({ timestamp }) => timestamp)) * 1000 + days * DAY_MS);
  }

  #purgeMessages(now: number): void {
    const before = Math.floor((now - (this.#messageDays() ?? 0) * DAY_MS) / 1000);
    const expired = [0, 1].flatMap((fromMe) =>
      this.#sql.exec<{ no: number; chat_id: string }>(EXPIRED_MESSAGES, fromMe, before, PURGE_BATCH_ROWS / 2).toArray(),
    );
    const rows = JSON.stringify(expired.map(({ no }) => no));
    // Deletes the message row last, because the other rows are found through it.
    for (const table of MESSAGE_TABLES.filter((name) => name !== "messages")) {
      this.#sql.exec(
        `DELETE FROM ${table} WHERE (chat_id, message_id) IN
           (SELECT m.chat_id, m.message_id FROM messages m WHERE m.no IN (SELECT value FROM json_each(?)))`,
        rows,
      );
    }
    this.#sql.exec("DELETE FROM messages WHERE no IN (SELECT value FROM json_each(?))", rows);
    if (expired.length < PURGE_BATCH_ROWS / 2) this.#purgeOrphans(before, now);
    for (const chatId of new Set(expired.map(({ chat_id }) => chat_id))) this.#onMessagesRemoved(chatId);
  }

  /**
   * Deletes rows about expired messages by their own age, because a newer row may precede its message. The search reads whole tables once a
   * day, because an index would cost a written row per receipt.
   */
  #purgeOrphans(before: number, now: number): void {
    if (now - (this.#searched.get() ?? 0) < DAY_MS) return;
    for (const [table, at] of Object.entries(ABOUT_MESSAGES)) this.#sql.exec(deletionOfOrphans(table, `${at} <= ?`), before);
    this.#searched.set(now);
  }

  #purgeStatusReactions(): number | null {
    for (const table of ["reactions", "receipts"]) this.#sql.exec(deletionOfOrphans(table, "chat_id = ?"), STATUS_FEED);
    return this.#nextExpiry();
  }

  #nextExpiry(): number | null {
    const due = earliest(
      RETAINED.flatMap(({ oldest, retentionMs }) =>
        this.#sql
          .exec<{ at: number }>(oldest)
          .toArray()
          .map(({ at }) => at + retentionMs),
      ),
    );
    return due === null ? null : this.#hours(due);
  }
}
