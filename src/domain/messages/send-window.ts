// When a waiting message may be sent (docs/use/waiting-sends.md, "Times").
import { invalidField, type Problem } from "../failures/field-problems.ts";
import { type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

/** In Unix ms. The message is sent at `at` or later, but never after `until`. */
export type SendWindow = { at: number; until: number };

const MAX_AHEAD_MS = 365 * DAY_MS;
const DEFAULT_LIFE_MS = DAY_MS;
const MAX_LIFE_MS = 7 * DAY_MS;

/** If `at` is null, the message is sent as soon as the number can send. `prefix` is prepended to the field names in a refusal. */
export function sendWindowOf(
  { at, until }: { at: number | null; until: number | null },
  now: number,
  prefix = "delivery.",
): Outcome<SendWindow> {
  const wrong = (field: "at" | "until", problem: Problem) => invalidField(prefix + field, problem);
  // Clients send whole seconds, so any time within the current second is allowed.
  if (at !== null && at < now - (now % 1000)) return wrong("at", "past_time");
  const start = at ?? now;
  if (start > now + MAX_AHEAD_MS) return wrong("at", "far_time");
  const end = until ?? start + DEFAULT_LIFE_MS;
  if (end <= Math.max(start, now)) return wrong("until", "ends_before");
  return end > start + MAX_LIFE_MS ? wrong("until", "long_wait") : succeed({ at: start, until: end });
}
