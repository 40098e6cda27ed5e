// Times at which the number reconnected after losing its session.

export class ReconnectLog {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** `now` in Unix ms. */
  add(now: number): void {
    this.#sql.exec("INSERT INTO reconnects (at) VALUES (?)", now);
  }

  /** Reconnects after `at` (Unix ms). */
  countAfter(at: number): number {
    return this.#sql.exec<{ count: number }>("SELECT count(*) AS count FROM reconnects WHERE at > ?", at).one().count;
  }
}
