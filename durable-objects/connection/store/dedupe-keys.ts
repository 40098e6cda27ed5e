/** Keys of events already taken in: a bridge reports again whatever it had no answer to. */
export class DedupeKeys {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** false when the event was taken in before. `now` in Unix ms. */
  claim(key: string, now: number): boolean {
    return this.#sql.exec("INSERT OR IGNORE INTO seen (key, seen_at) VALUES (?, ?) RETURNING no", key, now).toArray().length > 0;
  }
}
