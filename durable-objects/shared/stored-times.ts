// Times at which work is due. They are stored as rows, because the alarm that one instance sets usually fires in the next one.
import type { StoredTime } from "@gateway/domain/spread.ts";
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
