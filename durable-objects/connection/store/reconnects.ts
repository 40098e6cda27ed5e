// When the number came back after it had lost its session.

export class Reconnects {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** `now` in Unix ms. */
  note(now: number): void {
    this.#sql.exec("INSERT INTO reconnects (at) VALUES (?)", now);
  }

  /** How often after `at` (Unix ms). */
  after(at: number): number {
    return this.#sql.exec<{ count: number }>("SELECT count(*) AS count FROM reconnects WHERE at > ?", at).one().count;
  }
}
