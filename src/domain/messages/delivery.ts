// When a waiting message may be sent (docs/use/waiting-sends.md, "Times").
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

/** Unix ms. The message is sent at `at` or later, and never after `until`. */
export type Delivery = { at: number; until: number };

const MAX_AHEAD_MS = 365 * DAY_MS;
const DEFAULT_LIFE_MS = DAY_MS;
const MAX_LIFE_MS = 7 * DAY_MS;

/** `at` null: as soon as the number can send. `prefix`: prepended to the field names in a refusal. */
export function deliveryOf(
  { at, until }: { at: number | null; until: number | null },
  now: number,
  prefix = "delivery.",
): Outcome<Delivery> {
  const wrong = (field: "at" | "until", issue: string) => fail("validation_error", { issues: [{ field: prefix + field, issue }] });
  // Clients send whole seconds, so the current second is not in the past.
  if (at !== null && at < now - (now % 1000)) return wrong("at", "must not be in the past");
  const start = at ?? now;
  if (start > now + MAX_AHEAD_MS) return wrong("at", "must be at most 365 days ahead");
  const end = until ?? start + DEFAULT_LIFE_MS;
  if (end <= Math.max(start, now)) return wrong("until", "must be later than `at`");
  return end > start + MAX_LIFE_MS ? wrong("until", "must be at most 7 days after `at`") : succeed({ at: start, until: end });
}
