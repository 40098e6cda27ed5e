// The states of a delivery, and how long what is stored of it is kept.
import { DAY_MS } from "@gateway/protocol/units.ts";

/**
 * Stored values. `due_at` is when the next attempt is due, or the end of the lease while in flight; it is null once settled, and
 * during a first attempt that began with the event (`FirstAttempts`).
 */
export const STATE = { fresh: 0, retry: 1, inFlight: 2, delivered: 3, failed: 4, skipped: 5 } as const;

/** It waits for a resend only, and is as it was before when it gets none. NULL, which is not true, for all others. */
export const SETTLED_BEFORE = `resent_state IN (${STATE.delivered}, ${STATE.failed})`;

/** It was waiting before it was to be resent, or it is not being resent: if it is given up now, that is the first time. */
export const WAITED_BEFORE = `(resent_state IS NULL OR resent_state IN (${STATE.fresh}, ${STATE.retry}))`;

/** Waiting for the first attempt, or for a retry. */
export type WaitingState = typeof STATE.fresh | typeof STATE.retry;

/** How long deliveries are listed (docs/internals/delivery.md, "Retention and bounds"). */
export const HISTORY_RETENTION_MS = 7 * DAY_MS;

/** An accepted body is stored only for resends within a day. */
export const ACCEPTED_BODY_RETENTION_MS = DAY_MS;
