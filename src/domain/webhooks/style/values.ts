// Values common to both styles. A person is written as digits or null, never as an internal id (docs/use/events.md, "Fields of events").
import type { Ban } from "@gateway/protocol/events.ts";
import { type ChatId, chatKind, type Person, personOf } from "@gateway/protocol/ids.ts";
import type { InstanceRef } from "../../gateway-event.ts";
import { isoOfSeconds } from "../../iso-times.ts";

const DIGITS = /^\d{5,20}$/;

export function digits(person: Person | null): string | null {
  return person !== null && person.phone !== null && DIGITS.test(person.phone) ? person.phone : null;
}

/** Digits of the actor: the number itself, the given person, or the other person in a one-to-one chat. */
export function actorDigits(fromMe: boolean, person: Person | null, chatId: ChatId, instance: InstanceRef): string | null {
  if (fromMe) return instance.phone;
  return digits(person) ?? digits(personOf(chatId));
}

export function isGroup(chatId: ChatId): boolean {
  return chatKind(chatId) === "group";
}

export function networkId(phone: string | null, networkSuffix: string): string | null {
  return phone === null ? null : `${phone}@${networkSuffix}`;
}

/** ISO 8601 in both APIs (docs/use/apis.md, "Ids, phones and times"). */
export function banOf(ban: Ban | null): { code: number | null; ends_at: string | null } | null {
  return ban === null ? null : { code: ban.code, ends_at: ban.ends_at === null ? null : isoOfSeconds(ban.ends_at) };
}
