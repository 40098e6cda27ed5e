// Maps LIDs to phone numbers, and chat ids to the ids under which the chats are stored. A stored id uses the phone number once it is known.
import { type ChatId, type Person, chatIdOf, personOf } from "@gateway/protocol/ids.ts";

export const LID_SCHEMA = `
  CREATE TABLE lids (lid TEXT PRIMARY KEY, phone TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX lids_of_phone ON lids (phone);`;

const LID_SUFFIX = "@lid";

export class Lids {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  phoneOf(lid: string): string | null {
    return this.#sql.exec<{ phone: string }>("SELECT phone FROM lids WHERE lid = ?", lid).toArray()[0]?.phone ?? null;
  }

  lidOf(phone: string): string | null {
    return this.#sql.exec<{ lid: string }>("SELECT lid FROM lids WHERE phone = ? LIMIT 1", phone).toArray()[0]?.lid ?? null;
  }

  learn(lid: string, phone: string): boolean {
    return (
      this.#sql
        .exec(
          `INSERT INTO lids (lid, phone) VALUES (?, ?)
           ON CONFLICT (lid) DO UPDATE SET phone = excluded.phone WHERE phone <> excluded.phone RETURNING 1`,
          lid,
          phone,
        )
        .toArray().length > 0
    );
  }

  /** The id under which a chat is stored. An id with a phone number needs no query. */
  chat(chatId: ChatId): ChatId {
    if (!chatId.endsWith(LID_SUFFIX)) return chatId;
    const phone = this.phoneOf(chatId.slice(0, -LID_SUFFIX.length));
    return phone === null ? chatId : `${phone}@c.us`;
  }

  /** JSON of all ids under which this chat's rows may be stored, because waiting sends keep the LID with which they were accepted. */
  chatIds(chatId: ChatId): string {
    const stored = this.chat(chatId);
    const lids = this.#sql.exec<{ lid: string }>("SELECT lid FROM lids WHERE phone = ?", personOf(stored)?.phone ?? null);
    return JSON.stringify([stored, ...lids.toArray().map(({ lid }) => lid + LID_SUFFIX)]);
  }

  person(person: Person): Person;
  person(person: Person | null): Person | null;
  person(person: Person | null): Person | null {
    if (person === null || person.phone !== null || person.lid === null) return person;
    const phone = this.phoneOf(person.lid);
    return phone === null ? person : { phone, lid: person.lid };
  }

  /** False if the two cannot be compared, because one is known only by phone number and the other only by LID. */
  isSame(one: Person | null, other: Person | null): boolean {
    const [a, b] = [this.person(one), this.person(other)];
    if (a === null || b === null) return a === b;
    return (a.phone !== null && a.phone === b.phone) || (a.lid !== null && a.lid === b.lid);
  }
}

// A person known only by LID is stored with the LID alone. The phone number is shown as soon as it is known.

/** Identifies the person in a primary key. Null means the number itself. */
export function personKey(person: Person | null): string {
  return person === null ? "me" : chatIdOf(person);
}

export function personIn(phone: string | null, lid: string | null): Person | null {
  return phone === null && lid === null ? null : { phone, lid };
}

/** SQL for a row's phone number. The row may have been stored before its LID was resolved. */
export function phoneOf(table: string, column = "phone", lid = "lid"): string {
  return `COALESCE(${table}.${column}, (SELECT l.phone FROM lids l WHERE l.lid = ${table}.${lid}))`;
}

/** Merges rows of the same person that are stored under a LID and under a phone number. */
export function mergeByPerson<Row extends { phone: string | null; lid: string | null }>(
  rows: readonly Row[],
  join: (first: Row, second: Row) => Row,
): Row[] {
  const byPerson = new Map<string, Row>();
  for (const row of rows) {
    const key = personKey(personIn(row.phone, row.lid));
    const known = byPerson.get(key);
    byPerson.set(key, known === undefined ? row : join(known, row));
  }
  return [...byPerson.values()];
}
