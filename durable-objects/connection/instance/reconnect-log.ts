import { countRows } from "../../shared/read-number.ts";

export const RECONNECT_SCHEMA = `
  CREATE TABLE reconnects (no INTEGER PRIMARY KEY, at INTEGER NOT NULL);`;

export class ReconnectLog {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  add(now: number): void {
    this.#sql.exec("INSERT INTO reconnects (at) VALUES (?)", now);
  }

  countAfter(at: number): number {
    return countRows(this.#sql, "reconnects WHERE at > ?", at);
  }
}
