/** Keys of applied events, because a bridge repeats every event that was not acknowledged. */
export class DedupeKeys {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Claims the key. Returns false if the event was applied before. `now` is in Unix ms. */
  claim(key: string, now: number): boolean {
    return this.#sql.exec("INSERT OR IGNORE INTO dedupe_key (key, seen_at) VALUES (?, ?) RETURNING no", key, now).toArray().length > 0;
  }
}
