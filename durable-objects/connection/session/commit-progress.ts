// The session that may change state rows: its generation, its bridge, and the sequence number of its last stored commit.
export class CommitProgress {
  readonly #sql: SqlStorage;
  #generation: number;
  #bridge: string | null;
  #seq: number;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    const row = sql
      .exec<{ generation: number; bridge: string | null; seq: number }>("SELECT generation, bridge, seq FROM progress")
      .toArray()[0];
    this.#generation = row?.generation ?? 0;
    this.#bridge = row?.bridge ?? null;
    this.#seq = row?.seq ?? 0;
  }

  get generation(): number {
    return this.#generation;
  }

  /** The id of its bridge; null before the first session. */
  get bridge(): string | null {
    return this.#bridge;
  }

  get seq(): number {
    return this.#seq;
  }

  /** A session of a new generation was welcomed; from now on only it may change state rows. */
  begin(generation: number, bridge: string): void {
    this.#sql.exec("INSERT OR REPLACE INTO progress (one, generation, bridge, seq) VALUES (1, ?, ?, 0)", generation, bridge);
    this.#generation = generation;
    this.#bridge = bridge;
    this.#seq = 0;
  }

  /** Written in the commit's own transaction. */
  advanceTo(seq: number): void {
    this.#sql.exec("UPDATE progress SET seq = ?", seq);
    this.#seq = seq;
  }

  /** The commit's transaction was rolled back. */
  rollBackTo(seq: number): void {
    this.#seq = seq;
  }
}
