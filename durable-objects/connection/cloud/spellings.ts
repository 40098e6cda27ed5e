// Spellings of phone numbers, as Graph and Meta's webhooks use them (docs/internals/cloud.md, "Ids").
import { otherSpelling } from "@gateway/protocol/cloud/phone-spellings.ts";

export class CloudSpellings {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** How the network spells the number; as asked while nothing else was learnt. */
  of(asked: string): string {
    return this.#sql.exec<{ wa_id: string }>("SELECT wa_id FROM cloud_spellings WHERE asked = ?", asked).toArray()[0]?.wa_id ?? asked;
  }

  /** The contact behind a number that Meta names. The first spelling stays: Meta's answers and webhooks may use different ones. */
  named(phone: string): string {
    const other = otherSpelling(phone);
    if (other === null) return phone;
    if (this.of(phone) === other) return other;
    if (this.of(other) !== phone) this.#store(other, phone);
    return phone;
  }

  learn(asked: string, waId: string): void {
    if (this.of(asked) === waId) return;
    if (asked === waId) this.#sql.exec("DELETE FROM cloud_spellings WHERE asked = ?", asked);
    else this.#store(asked, waId);
  }

  #store(asked: string, waId: string): void {
    this.#sql.exec("INSERT OR REPLACE INTO cloud_spellings (asked, wa_id) VALUES (?, ?)", asked, waId);
  }
}
