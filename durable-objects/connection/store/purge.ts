// Deletes what is stored for a limited time: calls, status posts, dedupe keys, ids of removed messages, out-of-order events. Run by
// the alarm in batches on the hour, so that an idle object wakes for a batch and not for each row.
import { STATUS_FEED, STATUS_POST_SECONDS } from "./messages/status-posts.ts";
import { DAY_MS, HOUR_MS } from "../../../src/protocol/units.ts";

const PURGE_BATCH_ROWS = 500;

/** `oldest`: query for the time of the oldest row (Unix ms). `purge`: bound to (latest time to delete, how many rows). */
type RetainedRows = { retentionMs: number; oldest: string; purge: string };

// Rows of these tables are numbered in order of arrival, so the oldest are found without an index on the time.
const numbered = (table: string, at: string, retentionMs = 8 * DAY_MS): RetainedRows => ({
  retentionMs,
  oldest: `SELECT ${at} AS at FROM ${table} ORDER BY no LIMIT 1`,
  purge: `DELETE FROM ${table} WHERE no IN (SELECT no FROM (SELECT no, ${at} AS at FROM ${table} ORDER BY no LIMIT ?2) WHERE at <= ?1) RETURNING no`,
});

const RETAINED: readonly RetainedRows[] = [
  numbered("seen", "seen_at"),
  numbered("removed_messages", "removed_at"),
  numbered("early", "noted_at"),
  numbered("reconnects", "at"),
  numbered("status_audiences", "kept_at", STATUS_POST_SECONDS * 1000),
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

export class StorePurge {
  readonly #sql: SqlStorage;
  /** Cached until rows are deleted: new rows are younger than the oldest. */
  #due: number | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** When `run` next has something to do (Unix ms); null while there is nothing to delete. */
  nextDue(): number | null {
    this.#due ??= this.#nextExpiry();
    return this.#due;
  }

  /** Deletes one batch; the rest is due at once. `now` in Unix ms. */
  run(now: number): void {
    const due = this.nextDue();
    if (due === null || due > now) return;
    let room = PURGE_BATCH_ROWS;
    for (const { retentionMs, purge } of RETAINED) {
      if (room > 0) room -= this.#sql.exec(purge, now - retentionMs, room).toArray().length;
    }
    this.#due = room > 0 ? this.#purgeStatusReactions() : now;
  }

  /** Deletes reactions to, and receipts of, status posts that are gone. */
  #purgeStatusReactions(): number | null {
    for (const table of ["reactions", "receipts"]) {
      this.#sql.exec(
        `DELETE FROM ${table} WHERE chat_id = ? AND NOT EXISTS
           (SELECT 1 FROM messages m WHERE m.message_id = ${table}.message_id AND m.chat_id = ${table}.chat_id)`,
        STATUS_FEED,
      );
    }
    return this.#nextExpiry();
  }

  #nextExpiry(): number | null {
    const expiries = RETAINED.flatMap(({ oldest, retentionMs }) =>
      this.#sql
        .exec<{ at: number }>(oldest)
        .toArray()
        .map(({ at }) => at + retentionMs),
    );
    return expiries.length === 0 ? null : Math.ceil(Math.min(...expiries) / HOUR_MS) * HOUR_MS;
  }
}
