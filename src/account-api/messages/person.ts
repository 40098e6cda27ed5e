// Persons on the Account API: `<phone>@c.us`, or null while the phone is unknown (docs/apis.md, "Ids, phones and times").
import { chatIdOf, type Person } from "../../protocol/ids.ts";

export function personId(person: Person | null): string | null {
  return person === null || person.phone === null ? null : chatIdOf(person);
}
