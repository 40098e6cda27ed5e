// People as Meta names them: by a phone number, by an id of theirs for this business (`user_id`), or by both. Whoever has such an id gets a
// surrogate LID, so that chats and contacts of somebody who does not show a number work as on sessions (docs/internals/cloud.md, "Ids").
import { Phone } from "@gateway/protocol/ids.ts";

/** A person whose `user_id` is known. `lid`: digits of our own making; it stays when the number or the id changes. */
export type KnownPerson = { lid: string; phone: string | null };

type Row = { user_id: string; lid: string; phone: string | null; username: string | null };

const LID_DIGITS = 15;

export class CloudPeople {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Stores what a webhook or an answer says of a person; what it leaves out stays as it is. */
  learn(userId: string, phone: string | null, username: string | null): KnownPerson {
    const known = this.#row("user_id", userId);
    if (known === null) {
      // Somebody with a new id for the business, and the number of before.
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

  /** Somebody who is known by this number alone, or also by an id. */
  lidOf(phone: string): string | null {
    return this.#row("phone", phone)?.lid ?? null;
  }

  /** By which a message to them is addressed while their number is not known: the newest, when it has changed. */
  userIdOf(lid: string): string | null {
    return this.#row("lid", lid)?.user_id ?? null;
  }

  phoneOf(lid: string): string | null {
    return this.#row("lid", lid)?.phone ?? null;
  }

  /** The new number stands for whatever ids they have. */
  numberChanged(lid: string, phone: string): void {
    this.#sql.exec("UPDATE cloud_people SET phone = ? WHERE lid = ?", phone, lid);
  }

  /** The LID goes on with the new id. One that has written under the new id already keeps both. */
  userIdChanged(before: string, after: string): void {
    this.#sql.exec("UPDATE OR IGNORE cloud_people SET user_id = ? WHERE user_id = ?", after, before);
  }

  #row(column: "user_id" | "lid" | "phone", value: string): Row | null {
    return (
      this.#sql
        .exec<Row>(`SELECT user_id, lid, phone, username FROM cloud_people WHERE ${column} = ? ORDER BY no DESC LIMIT 1`, value)
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

/** Digits without a zero in front. */
export function randomDigits(count: number): string {
  const digits = [...crypto.getRandomValues(new Uint8Array(count))].map((byte, at) => (at === 0 ? 1 + (byte % 9) : byte % 10));
  return digits.join("");
}

/** The digits of a number as Meta writes it, with or without a plus; null when it is none. */
export function phoneIn(text: string | undefined): string | null {
  const parsed = Phone.safeParse(text?.replace(/^\+/, ""));
  return parsed.success ? parsed.data : null;
}
