// Generation, bridge and last commit of the session that may change state rows. The row also holds values that nearly every commit changes
// (docs/internals/statistics.md, "Counting in the object"). A received text thus writes 10 rows, not 19.5, and a sent text 25, not 52.

/** Values to store. Null leaves a column unchanged. `cold` and `sessions` come from `StateRows.take`. `facts` is 0 without a new event. */
export type Progress = { seq: number | null; counts: string | null; cold: string | null; sessions: string | null; facts: number };

type ProgressRow = { generation: number; bridge: string | null; seq: number; counts: string | null; facts: number };

export class CommitProgress {
  readonly #sql: SqlStorage;
  #generation: number;
  #bridge: string | null;
  #seq: number;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    const row = this.#row();
    this.#generation = row?.generation ?? 0;
    this.#bridge = row?.bridge ?? null;
    this.#seq = row?.seq ?? 0;
  }

  get generation(): number {
    return this.#generation;
  }

  get bridge(): string | null {
    return this.#bridge;
  }

  get counts(): string | null {
    return this.#row()?.counts ?? null;
  }

  get seq(): number {
    return this.#seq;
  }

  /** Called when a session of a new generation is welcomed. From then on, only that session may change state rows. */
  begin(generation: number, bridge: string): void {
    this.#sql.exec(
      `INSERT INTO progress (one, generation, bridge, seq) VALUES (1, ?, ?, 0)
       ON CONFLICT (one) DO UPDATE SET generation = excluded.generation, bridge = excluded.bridge, seq = 0`,
      generation,
      bridge,
    );
    this.#generation = generation;
    this.#bridge = bridge;
    this.#seq = 0;
  }

  get facts(): number {
    return this.#row()?.facts ?? 0;
  }

  /** Called in the commit's transaction. Also called without a commit, possibly before the first session. */
  store({ seq, counts, cold, sessions, facts }: Progress): void {
    if (seq !== null) {
      const update = `UPDATE progress SET seq = ?, counts = ifnull(?, counts), cold = ifnull(?, cold), sessions = ifnull(?, sessions),
        facts = max(facts, ?)`;
      this.#sql.exec(update, seq, counts, cold, sessions, facts);
      this.#seq = seq;
      return;
    }
    if (counts === null && cold === null && sessions === null && facts === 0) return;
    this.#sql.exec(
      `INSERT INTO progress (one, generation, seq, counts, cold, sessions, facts) VALUES (1, 0, 0, ?1, ?2, ?3, ?4)
       ON CONFLICT (one) DO UPDATE SET
         counts = ifnull(?1, counts), cold = ifnull(?2, cold), sessions = ifnull(?3, sessions), facts = max(facts, ?4)`,
      counts,
      cold,
      sessions,
      facts,
    );
  }

  rolledBack(): void {
    this.#seq = this.#row()?.seq ?? 0;
  }

  #row(): ProgressRow | undefined {
    return this.#sql.exec<ProgressRow>("SELECT generation, bridge, seq, counts, facts FROM progress").toArray()[0];
  }
}
