// Numbers that the network spells otherwise than they are asked for: the 9th digit in Brazil, 52 1 in Mexico, 54 9 in Argentina. Learnt from
// its answers, never computed (docs/cloud-api.md, "Ids").

export class CloudSpellings {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** How the network spells the number; as asked while nothing else was learnt. */
  of(asked: string): string {
    return this.#sql.exec<{ wa_id: string }>("SELECT wa_id FROM cloud_spellings WHERE asked = ?", asked).toArray()[0]?.wa_id ?? asked;
  }

  learn(asked: string, waId: string): void {
    if (this.of(asked) === waId) return;
    if (asked === waId) this.#sql.exec("DELETE FROM cloud_spellings WHERE asked = ?", asked);
    else this.#sql.exec("INSERT OR REPLACE INTO cloud_spellings (asked, wa_id) VALUES (?, ?)", asked, waId);
  }
}
