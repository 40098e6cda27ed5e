// Persons on Surface A: `<phone>@c.us`, or null while the phone is unknown (architecture, decision 6).
import { chatIdOf, type Person } from "../../protocol/ids.ts";

export function personId(person: Person | null): string | null {
  return person === null || person.phone === null ? null : chatIdOf(person);
}
