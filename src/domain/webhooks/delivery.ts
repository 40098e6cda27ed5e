// One delivery, attempt by attempt: when it is tried again, when it is given up, and what its failures say about the receiver.
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { HOUR_MS } from "@gateway/protocol/units.ts";

/** The only errors of an attempt that customers see; texts of the receiver or the runtime are never passed on. */
export type DeliveryError =
  | "timeout"
  | "connection_failed"
  | "redirect"
  | "not_2xx"
  | "url_not_allowed"
  /** Not of an attempt: dropped because too many deliveries wait for the same receiver. */
  | "queue_full"
  /** Not of an attempt: not tried, because the webhook is disabled or switched off. */
  | "webhook_disabled";

export type AttemptResult = { ok: true; httpStatus: number } | { ok: false; httpStatus: number | null; error: DeliveryError };

/** The result of an answer: any 2xx accepts; a redirect is a failure like any other (docs/internals/delivery.md, "Attempts"). */
export function resultOf(httpStatus: number): AttemptResult {
  if (httpStatus >= 200 && httpStatus < 300) return { ok: true, httpStatus };
  return { ok: false, httpStatus, error: httpStatus >= 300 && httpStatus < 400 ? "redirect" : "not_2xx" };
}

/** Delays before the 1st, 2nd, … retry, in seconds, and how many of them are used. */
export type Schedule = { delaysS: readonly number[]; retries: number };

export type NextStep = { state: "delivered" } | { state: "failed" } | { state: "waiting"; dueAt: number };

/**
 * The next state after an attempt that ended at `endedAt` (Unix ms). `failures` counts the failed attempts before this one. A delay
 * counts from the end of the attempt (docs/internals/delivery.md, "Retry schedule").
 */
export function afterAttempt(id: string, failures: number, result: AttemptResult, schedule: Schedule, endedAt: number): NextStep {
  if (result.ok) return { state: "delivered" };
  const delayS = failures < schedule.retries ? schedule.delaysS[failures] : undefined;
  if (delayS === undefined) return { state: "failed" };
  return { state: "waiting", dueAt: endedAt + delayS * 1_000 + jitterMs(id, failures + 1, delayS) };
}

const NO_JITTER_UP_TO_S = 5;
const JITTER = { share: 0.02, mostMs: 60_000 } as const;

/** Spreads the retries of one outage: 0-2 % later, never earlier, and the same for one retry of one delivery. */
export function jitterMs(id: string, retry: number, delayS: number): number {
  if (delayS <= NO_JITTER_UP_TO_S) return 0;
  const hash = sha256(utf8ToBytes(`${id}:${retry}`));
  const fraction = new DataView(hash.buffer, hash.byteOffset).getUint32(0) / 2 ** 32;
  return Math.floor(fraction * Math.min(delayS * 1_000 * JITTER.share, JITTER.mostMs));
}

/** 72 hours without an accepted delivery (docs/internals/delivery.md, "Disabling a webhook"). */
export const DISABLE_AFTER_MS = 72 * HOUR_MS;

/**
 * The record of a receiver. Times are Unix ms. `firstFailedAt` and `lastFailedAt`: of the failures since it last accepted anything;
 * `unreachable` counts the latest attempts in a row without a useful answer, up to where it no longer matters; `recovering`: so many
 * useful answers are missing until it may have all its attempts at once again.
 */
export type ReceiverHealth = {
  firstFailedAt: number | null;
  lastFailedAt: number | null;
  lastSuccessAt: number | null;
  unreachable: number;
  recovering: number;
};

/** Attempts at once to one receiver: all, and what is left of them after so many in a row without a useful answer. */
const SLOTS = { most: 4, afterSome: 2, afterMany: 1 } as const;
const UNREACHABLE = { some: 5, many: 20 } as const;
const ANSWERS_PER_SLOT = 5;
/** What the receiver's front says when nothing is behind it, or too much before it. */
const DOWN_STATUSES: ReadonlySet<number | null> = new Set([429, 502, 503, 504]);
const RECOVERY_PAUSE_MS = 1_000;

export function healthAfter(health: ReceiverHealth, result: AttemptResult, endedAt: number): ReceiverHealth {
  const recovering = Math.max(0, health.recovering - 1);
  if (result.ok) return { ...withoutFailures(health), lastSuccessAt: endedAt, recovering };
  const down = isDown(result);
  const unreachable = down ? Math.min(health.unreachable + 1, UNREACHABLE.many) : 0;
  // A failure this long ago says nothing about the receiver today.
  const expired = health.lastFailedAt !== null && endedAt - health.lastFailedAt > DISABLE_AFTER_MS;
  return {
    ...health,
    firstFailedAt: expired ? endedAt : (health.firstFailedAt ?? endedAt),
    lastFailedAt: endedAt,
    unreachable,
    recovering: down ? Math.max(health.recovering, missingAnswers(unreachable)) : recovering,
  };
}

function isDown(result: AttemptResult): boolean {
  if (result.ok) return false;
  return result.error === "timeout" || result.error === "connection_failed" || DOWN_STATUSES.has(result.httpStatus);
}

function missingAnswers(unreachable: number): number {
  if (unreachable >= UNREACHABLE.many) return (SLOTS.most - SLOTS.afterMany) * ANSWERS_PER_SLOT;
  return unreachable >= UNREACHABLE.some ? (SLOTS.most - SLOTS.afterSome) * ANSWERS_PER_SLOT : 0;
}

/** The receiver has shown that it works, or another one took its place. */
export function withoutFailures(health: ReceiverHealth): ReceiverHealth {
  return { ...health, firstFailedAt: null, lastFailedAt: null, unreachable: 0 };
}

/** To be called right after a failure: time alone disables nothing (docs/internals/delivery.md, "Disabling a webhook"). */
export function shouldDisable(health: ReceiverHealth, disableAfterMs: number | null, now: number): boolean {
  return disableAfterMs !== null && health.firstFailedAt !== null && now - health.firstFailedAt >= disableAfterMs;
}

/** When the next failure disables the receiver, as things stand (Unix ms); null: it is not failing, or is never disabled. */
export function disablesAt(health: ReceiverHealth, disableAfterMs: number | null, now: number): number | null {
  const { firstFailedAt, lastFailedAt } = health;
  if (disableAfterMs === null || firstFailedAt === null) return null;
  // The next failure would begin anew (`healthAfter`).
  return lastFailedAt !== null && now - lastFailedAt > DISABLE_AFTER_MS ? null : firstFailedAt + disableAfterMs;
}

/** How many attempts may run at once: fewer to an unreachable receiver, in the end a single probe; one more for every five answers. */
export function concurrencyFor({ recovering }: ReceiverHealth): number {
  return SLOTS.most - Math.ceil(recovering / ANSWERS_PER_SLOT);
}

/**
 * How long (ms) the receiver gets nothing after an attempt with this result; `health` is the one before it. Whoever is back after an
 * outage is probed by all who wait for it, so its first answers are followed by a pause.
 */
export function pauseAfter(health: ReceiverHealth, result: AttemptResult): number {
  return concurrencyFor(health) === SLOTS.afterMany && !isDown(result) ? RECOVERY_PAUSE_MS : 0;
}
