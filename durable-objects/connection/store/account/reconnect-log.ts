// When the number came back after it had lost its session.

export class ReconnectLog {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** `now` in Unix ms. */
  add(now: number): void {
    this.#sql.exec("INSERT INTO reconnects (at) VALUES (?)", now);
  }

  /** How often after `at` (Unix ms). */
  countAfter(at: number): number {
    return this.#sql.exec<{ count: number }>("SELECT count(*) AS count FROM reconnects WHERE at > ?", at).one().count;
  }
}
