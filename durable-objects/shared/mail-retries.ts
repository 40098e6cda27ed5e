import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

/** Lease on an email while it is being sent, in case the object is evicted before the send ends. */
export const MAIL_LEASE_MS = 2 * MINUTE_MS;

export const MAIL_RETRY_AFTER_MS: readonly number[] = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS];

/** The time of the next try after `tries` failures (Unix ms). Null if there is none. */
export function nextMailTry(tries: number, now: number, retryAfterMs = MAIL_RETRY_AFTER_MS): number | null {
  const wait = retryAfterMs[tries - 1];
  return wait === undefined ? null : now + wait;
}
