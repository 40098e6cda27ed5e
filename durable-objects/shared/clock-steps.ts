// Detects that the clock was set back, and corrects stored times (docs/internals/scheduling.md, "Clocks that are set back").
import { SET_BACK_MS } from "@gateway/domain/set-back.ts";

/** `longestMs`: how far ahead a valid value may be; 0 for past events. `where`: SQL that lets an index find the rows. */
export type TimeColumn = { table: string; column: string; longestMs: number; where?: string };

export class ClockSteps {
  readonly #sql: SqlStorage;
  readonly #columns: readonly TimeColumn[];
  #latest: number;

  /** Corrects times stored by an earlier instance, so it must be created before any table is read. */
  constructor(sql: SqlStorage, columns: readonly TimeColumn[], now: number) {
    this.#sql = sql;
    this.#columns = columns;
    this.#latest = now;
    this.#mend(now);
  }

  /** Whether the clock was set back since the last call. If so, stored times have been corrected, and cached ones are stale. */
  wasSetBack(now: number): boolean {
    const isBack = this.#latest - now > SET_BACK_MS;
    this.#latest = isBack ? now : Math.max(this.#latest, now);
    if (isBack) this.#mend(now);
    return isBack;
  }

  /** Does what `notAhead` does, in SQL. */
  #mend(now: number): void {
    for (const { table, column, longestMs, where = "true" } of this.#columns)
      this.#sql.exec(`UPDATE ${table} SET ${column} = ?1 WHERE ${where} AND ${column} > ?1 + ?2`, now, longestMs + SET_BACK_MS);
  }
}
