// Times at which work is due. They are stored as rows, because the alarm that one instance sets usually fires in the next one.
import type { StoredTime } from "@gateway/domain/spread.ts";
import { SET_BACK_MS } from "@gateway/domain/set-back.ts";
import type { Migrations } from "./migrate.ts";

export const TIME_MIGRATIONS: Migrations = ["CREATE TABLE stored_time (name TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID"];

export class StoredTimes {
  readonly #sql: SqlStorage;
  readonly #table: string;
  #known: Map<string, number> | null = null;

  constructor(sql: SqlStorage, table = "stored_time") {
    this.#sql = sql;
    this.#table = table;
  }

  get(name: string): number | null {
    return this.#read().get(name) ?? null;
  }

  set(name: string, at: number): void {
    if (this.get(name) === at) return;
    this.#sql.exec(`INSERT OR REPLACE INTO ${this.#table} (name, at) VALUES (?, ?)`, name, at);
    this.#read().set(name, at);
  }

  delete(name: string): void {
    if (this.get(name) === null) return;
    this.#sql.exec(`DELETE FROM ${this.#table} WHERE name = ?`, name);
    this.#read().delete(name);
  }

  clockSetBack(): void {
    this.resetCache();
  }

  resetCache(): void {
    this.#known = null;
  }

  of(name: string): StoredTime {
    return { get: () => this.get(name), set: (at) => this.set(name, at) };
  }

  #read(): Map<string, number> {
    this.#known ??= new Map(
      this.#sql
        .exec<{ name: string; at: number }>(`SELECT name, at FROM ${this.#table}`)
        .toArray()
        .map(({ name, at }) => [name, at]),
    );
    return this.#known;
  }
}

// Detects that the clock was set back, and corrects stored times (docs/internals/scheduling.md, "Clocks that are set back").

/**
 * `longestMs` says how far ahead a valid value may be (0 for past events). `where` is an SQL condition that lets an index find the rows.
 */
export type TimeColumn = { table: string; column: string; longestMs: number; where?: string };

export class ClockSteps {
  readonly #sql: SqlStorage;
  readonly #columns: readonly TimeColumn[];
  #latest: number;

  /** Corrects times that an earlier instance stored, so this must be created before any table is read. */
  constructor(sql: SqlStorage, columns: readonly TimeColumn[], now: number) {
    this.#sql = sql;
    this.#columns = columns;
    this.#latest = now;
    this.#mend(now);
  }

  /** Returns true if the clock was set back since the last call. Stored times have then been corrected, and cached ones are stale. */
  wasSetBack(now: number): boolean {
    const isBack = this.#latest - now > SET_BACK_MS;
    this.#latest = isBack ? now : Math.max(this.#latest, now);
    if (isBack) this.#mend(now);
    return isBack;
  }

  /** Like `notAhead`, but in SQL. */
  #mend(now: number): void {
    for (const { table, column, longestMs, where = "true" } of this.#columns)
      this.#sql.exec(`UPDATE ${table} SET ${column} = ?1 WHERE ${where} AND ${column} > ?1 + ?2`, now, longestMs + SET_BACK_MS);
  }
}
