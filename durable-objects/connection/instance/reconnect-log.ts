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
    return this.#sql.exec<{ count: number }>("SELECT count(*) AS count FROM reconnects WHERE at > ?", at).one().count;
  }
}
