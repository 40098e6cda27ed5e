// When each kind of network data was last refreshed.

export class RefreshTimes {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Claims `now` (Unix ms) if the last claim is older than `everyMs`, in one synchronous step. */
  claim(what: string, now: number, everyMs: number): boolean {
    const query =
      "INSERT INTO refreshes (what, at) VALUES (?1, ?2) ON CONFLICT (what) DO UPDATE SET at = ?2 WHERE at <= ?2 - ?3 OR at > ?2 RETURNING 1";
    return this.#sql.exec(query, what, now, everyMs).toArray().length > 0;
  }

  /** Releases a claim if no request reached the network, so that the next refresh may try. */
  release(what: string): void {
    this.#sql.exec("DELETE FROM refreshes WHERE what = ?", what);
  }
}
