import { DAY_MS } from "@gateway/protocol/units.ts";

/** `due_at` is the time of the next attempt, or while in flight, the end of the claim. Null once settled, and in a first attempt. */
export const STATE = { fresh: 0, retry: 1, inFlight: 2, delivered: 3, failed: 4, skipped: 5 } as const;

/** SQL condition for a delivery that was settled before and waits only for a resend. NULL, which SQL treats as false, for all others. */
export const SETTLED_BEFORE = `resent_state IN (${STATE.delivered}, ${STATE.failed})`;

/** SQL condition for a delivery that had no final state before its resend. It reaches one when the gateway gives up on the resend. */
export const WAITED_BEFORE = `(resent_state IS NULL OR resent_state IN (${STATE.fresh}, ${STATE.retry}))`;

/** SQL that gives up waiting deliveries; its parameter is the time. A delivery that was settled before its resend returns to that state. */
export function giveUp(state: typeof STATE.failed | typeof STATE.skipped, error: string): string {
  return `UPDATE delivery SET state = iif(${SETTLED_BEFORE}, resent_state, ${state}), error = iif(${SETTLED_BEFORE}, error, '${error}'),
     due_at = NULL, settled_at = iif(${SETTLED_BEFORE}, settled_at, ?), resent_state = NULL`;
}

export type WaitingState = typeof STATE.fresh | typeof STATE.retry;

/** How long deliveries are listed (docs/internals/delivery.md, "Retention and bounds"). */
export const HISTORY_RETENTION_MS = 7 * DAY_MS;

export const ACCEPTED_BODY_RETENTION_MS = DAY_MS;
