// When the object sends an email to the owner again.
import { HOUR_MS } from "@gateway/protocol/units.ts";

/** Lease on an email while it is being sent. */
export const MAIL_LEASE_MS = 60_000;

const RETRY_AFTER_MS = [60_000, 600_000, HOUR_MS, 6 * HOUR_MS] as const;

/** The time of the next try after `tries` failures (Unix ms). Null if there is none. */
export function nextMailTry(tries: number, now: number): number | null {
  const wait = RETRY_AFTER_MS[tries - 1];
  return wait === undefined ? null : now + wait;
}
