// When lists were last refreshed from the network, which must not be queried often (docs/use/apis.md, "Groups, contacts, labels, channels").

export class RefreshTimes {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** True when the last claim is older than `everyMs`; it is then claimed for `now` (Unix ms), in one synchronous step. */
  claim(what: string, now: number, everyMs: number): boolean {
    const query =
      "INSERT INTO refreshes (what, at) VALUES (?1, ?2) ON CONFLICT (what) DO UPDATE SET at = ?2 WHERE at <= ?2 - ?3 RETURNING 1";
    return this.#sql.exec(query, what, now, everyMs).toArray().length > 0;
  }

  /** Nothing was asked of the network: the next refresh may try. */
  release(what: string): void {
    this.#sql.exec("DELETE FROM refreshes WHERE what = ?", what);
  }
}
