// A person known only by LID is stored with the LID alone, and shown with the phone number once it is known.
import { chatIdOf, type Person } from "@gateway/protocol/ids.ts";

/** The person as part of a primary key; null is the number itself. */
export function personKey(person: Person | null): string {
  return person === null ? "me" : chatIdOf(person);
}

export function personIn(phone: string | null, lid: string | null): Person | null {
  return phone === null && lid === null ? null : { phone, lid };
}

/** SQL for the phone number of a row that may have been stored before its LID was resolved. */
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
