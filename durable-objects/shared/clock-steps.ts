// Finds that the clock was set back, and mends the times that an object has stored (docs/internals/scheduling.md, "Clocks that are set back").
import { SET_BACK_MS } from "@gateway/domain/set-back.ts";

/**
 * A column with times (Unix ms). `longestMs`: the longest pause that they are set to; 0: they say when something happened. `where`: SQL, so
 * that an index finds the rows of a large table.
 */
export type TimeColumn = { table: string; column: string; longestMs: number; where?: string };

export class ClockSteps {
  readonly #sql: SqlStorage;
  readonly #columns: readonly TimeColumn[];
  #latest: number;

  /** Mends what an earlier instance of the object has stored: to be made before any table is read. */
  constructor(sql: SqlStorage, columns: readonly TimeColumn[], now: number) {
    this.#sql = sql;
    this.#columns = columns;
    this.#latest = now;
    this.#mend(now);
  }

  /** Whether the clock was set back since the last call. Then the stored times are mended, and what is cached of them is stale. */
  wasSetBack(now: number): boolean {
    const isBack = this.#latest - now > SET_BACK_MS;
    this.#latest = isBack ? now : Math.max(this.#latest, now);
    if (isBack) this.#mend(now);
    return isBack;
  }

  /** `notAhead`, in SQL. */
  #mend(now: number): void {
    for (const { table, column, longestMs, where = "true" } of this.#columns)
      this.#sql.exec(`UPDATE ${table} SET ${column} = ?1 WHERE ${where} AND ${column} > ?1 + ?2`, now, longestMs + SET_BACK_MS);
  }
}
