// Detects that the clock was set back, and corrects stored times (docs/internals/scheduling.md, "Clocks that are set back").
import { SET_BACK_MS } from "@gateway/domain/clock-set-back.ts";

/**
 * `longestMs` says how far ahead a valid value may be (0 for past events). `where` is an SQL condition that lets an index find the rows.
 * With `isExpiry`, a value too far ahead becomes the latest valid one instead of now, because nothing may expire early.
 * `order` numbers the rows of a large table by arrival. On startup, the table is only searched if its newest row is too far ahead.
 */
export type TimeColumn = { table: string; column: string; longestMs: number; where?: string; isExpiry?: true; order?: string };

export class ClockSteps {
  readonly #sql: SqlStorage;
  readonly #columns: readonly TimeColumn[];
  #latest: number;

  /** Corrects times that an earlier instance stored, so this must be created before any table is read. */
  constructor(sql: SqlStorage, columns: readonly TimeColumn[], now: number) {
    this.#sql = sql;
    this.#columns = columns;
    this.#latest = now;
    this.#mend(now, false);
  }

  /** Returns true if the clock was set back since the last call. Stored times have then been corrected, and cached ones are stale. */
  wasSetBack(now: number): boolean {
    const isBack = this.#latest - now > SET_BACK_MS;
    this.#latest = isBack ? now : Math.max(this.#latest, now);
    if (isBack) this.#mend(now, true);
    return isBack;
  }

  /** Like `notAhead`, but in SQL. */
  #mend(now: number, isBack: boolean): void {
    for (const { table, column, longestMs, where = "true", isExpiry = false, order } of this.#columns) {
      const [latest, mended] = [now + longestMs + SET_BACK_MS, isExpiry ? now + longestMs : now];
      if (order !== undefined && !isBack) {
        const newest = this.#sql
          .exec<{ at: number }>(`SELECT ${column} AS at FROM ${table} WHERE ${where} ORDER BY ${order} DESC LIMIT 1`)
          .toArray()[0];
        if (newest === undefined || newest.at <= latest) continue;
      }
      this.#sql.exec(`UPDATE ${table} SET ${column} = ? WHERE ${where} AND ${column} > ?`, mended, latest);
    }
  }
}
