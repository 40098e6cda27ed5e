// When a number of the Cloud API is checked next, and what Graph last said of it. One row, read once.

/** Times in Unix ms. `connects`: the check also connects the number. `number`: JSON of what Graph said. */
type Row = { due_at: number | null; connects: number; checked_at: number | null; number: string | null };

const NOTHING: Row = { due_at: null, connects: 0, checked_at: null, number: null };

export class CheckRow {
  readonly #sql: SqlStorage;
  #row: Row | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  read(): Row {
    this.#row ??= this.#sql.exec<Row>("SELECT due_at, connects, checked_at, number FROM cloud_check").toArray()[0] ?? NOTHING;
    return this.#row;
  }

  clockSetBack(): void {
    this.#row = null;
  }

  write(changes: Partial<Row>): void {
    const row = { ...this.read(), ...changes };
    const { due_at: dueAt, connects, checked_at: checkedAt, number } = row;
    this.#sql.exec(
      "INSERT OR REPLACE INTO cloud_check (one, due_at, connects, checked_at, number) VALUES (1, ?, ?, ?, ?)",
      dueAt,
      connects,
      checkedAt,
      number,
    );
    this.#row = row;
  }
}
