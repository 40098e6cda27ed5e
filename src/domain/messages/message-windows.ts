// Who may still change a message for everyone (docs/apis.md, "Groups, contacts, labels, channels").
import type { Failure } from "../../protocol/failures.ts";
import { hasAtMostCharacters } from "./characters.ts";
import { LIMITS } from "../limits.ts";

/** `timestamp` in Unix seconds. */
type Sent = { fromMe: boolean; timestamp: number };

/** What has words of its own, and how many they may be. */
const WORDS: Readonly<Record<string, number>> = {
  text: LIMITS.textCharacters,
  image: LIMITS.captionCharacters,
  video: LIMITS.captionCharacters,
  document: LIMITS.captionCharacters,
};

/** Null when the text may take the place of the message's own. `now` in Unix ms. */
export function editRefusal({ fromMe, timestamp, type }: Sent & { type: string }, text: string, now: number): Failure | null {
  if (!fromMe) return { code: "forbidden" };
  const most = WORDS[type];
  if (most === undefined) return { code: "not_supported", details: { type } };
  if (!hasAtMostCharacters(text, most)) return { code: "validation_error", issues: [{ field: "text", issue: `1..${most}` }] };
  return isWithin(timestamp, LIMITS.editWindowMs, now) ? null : { code: "edit_window_closed" };
}

/** `isAdmin`: of the group it is in; elsewhere nobody is. */
export function deleteRefusal({ fromMe, timestamp }: Sent, isAdmin: boolean, now: number): Failure | null {
  if (!fromMe && !isAdmin) return { code: "forbidden" };
  return isWithin(timestamp, LIMITS.deleteWindowMs, now) ? null : { code: "delete_window_closed" };
}

function isWithin(timestamp: number, windowMs: number, now: number): boolean {
  return now - timestamp * 1000 <= windowMs;
}
