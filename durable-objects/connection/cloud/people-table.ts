// People as Meta identifies them: phone, `user_id`, or both. A `user_id` gets a surrogate LID (docs/internals/cloud.md, "Ids").
import { Phone } from "@gateway/protocol/ids.ts";

/** A person with a known `user_id`. `lid` consists of random digits and stays the same when the number or id changes. */
type KnownPerson = { lid: string; phone: string | null };

type PersonRow = { user_id: string; lid: string; phone: string | null; username: string | null };

const LID_DIGITS = 15;

export class CloudPeople {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Stores a person's data from a webhook or response. Missing fields keep their stored values. */
  learn(userId: string, phone: string | null, username: string | null): KnownPerson {
    const known = this.#row("user_id", userId);
    if (known === null) {
      const lid = (phone === null ? null : this.#row("phone", phone)?.lid) ?? this.#newLid();
      this.#sql.exec("INSERT INTO cloud_people (user_id, lid, phone, username) VALUES (?, ?, ?, ?)", userId, lid, phone, username);
      return { lid, phone };
    }
    const now = { lid: known.lid, phone: phone ?? known.phone };
    if (now.phone !== known.phone || (username ?? known.username) !== known.username) {
      this.#sql.exec("UPDATE cloud_people SET phone = ?, username = COALESCE(?, username) WHERE user_id = ?", now.phone, username, userId);
    }
    return now;
  }

  lidOf(phone: string): string | null {
    return this.#row("phone", phone)?.lid ?? null;
  }

  /** The newest `user_id`, for people whose number is unknown. */
  userIdOf(lid: string): string | null {
    return this.#row("lid", lid)?.user_id ?? null;
  }

  phoneOf(lid: string): string | null {
    return this.#row("lid", lid)?.phone ?? null;
  }

  /** The new number replaces the old one for all of the person's ids. */
  numberChanged(lid: string, phone: string): void {
    this.#sql.exec("UPDATE cloud_people SET phone = ? WHERE lid = ?", phone, lid);
  }

  /** Assigns the LID to the new id. If the person has already written under the new id, both LIDs stay. */
  userIdChanged(before: string, after: string): void {
    this.#sql.exec("UPDATE OR IGNORE cloud_people SET user_id = ? WHERE user_id = ?", after, before);
  }

  #row(column: "user_id" | "lid" | "phone", value: string): PersonRow | null {
    return (
      this.#sql
        .exec<PersonRow>(`SELECT user_id, lid, phone, username FROM cloud_people WHERE ${column} = ? ORDER BY no DESC LIMIT 1`, value)
        .toArray()[0] ?? null
    );
  }

  #newLid(): string {
    for (;;) {
      const lid = randomDigits(LID_DIGITS);
      if (this.#row("lid", lid) === null) return lid;
    }
  }
}

export function randomDigits(count: number): string {
  const digits = [...crypto.getRandomValues(new Uint8Array(count))].map((byte, at) => (at === 0 ? 1 + (byte % 9) : byte % 10));
  return digits.join("");
}

/** The digits of a number in Meta's notation, or null when it is not a number. */
export function phoneIn(text: string | undefined): string | null {
  const parsed = Phone.safeParse(text?.replace(/^\+/, ""));
  return parsed.success ? parsed.data : null;
}
