// Rules for editing messages and deleting them for everyone (docs/use/apis.md, "Groups, contacts, labels, channels").
import { invalidField } from "../failures/field-problems.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import { hasAtMostCharacters } from "./characters.ts";
import { LIMITS } from "../limits.ts";

type Sent = { fromMe: boolean; timestamp: number };

const MAX_TEXT_LENGTHS: Readonly<Record<string, number>> = {
  text: LIMITS.textCharacters,
  image: LIMITS.captionCharacters,
  video: LIMITS.captionCharacters,
  document: LIMITS.captionCharacters,
};

/** Returns null if the text may be edited. `now` is in Unix ms. */
export function editRefusal({ fromMe, timestamp, type }: Sent & { type: string }, text: string, now: number): Failure | null {
  if (!fromMe) return { code: "forbidden" };
  const maxLength = MAX_TEXT_LENGTHS[type];
  if (maxLength === undefined) return { code: "not_supported", details: { type } };
  if (!hasAtMostCharacters(text, maxLength)) return invalidField("text", "text_length", maxLength).failure;
  return isWithin(timestamp, LIMITS.editWindowMs, now) ? null : { code: "edit_window_closed" };
}

/** Returns null if the message may be deleted for everyone. `isAdmin` means an admin of the message's group. */
export function deleteRefusal({ fromMe, timestamp }: Sent, isAdmin: boolean, now: number): Failure | null {
  if (!fromMe && !isAdmin) return { code: "forbidden" };
  return isWithin(timestamp, LIMITS.deleteWindowMs, now) ? null : { code: "delete_window_closed" };
}

function isWithin(timestamp: number, windowMs: number, now: number): boolean {
  return now - timestamp * 1000 <= windowMs;
}
