// One delivery, attempt by attempt: when to retry, when to give up, and what failures say about the receiver.
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { HOUR_MS } from "@gateway/protocol/units.ts";

/** The only errors that customers see. They never contain texts from the receiver or the runtime. */
export type DeliveryError =
  | "timeout"
  | "connection_failed"
  | "redirect"
  | "not_2xx"
  | "url_not_allowed"
  /** No attempt was made, because too many deliveries were waiting for the same receiver. */
  | "queue_full"
  /** No attempt was made, because the webhook is disabled or switched off. */
  | "webhook_disabled";

export type AttemptResult = { ok: true; httpStatus: number } | { ok: false; httpStatus: number | null; error: DeliveryError };

/** Any 2xx accepts the delivery. Redirects are failures (docs/internals/delivery.md, "Attempts"). */
export function attemptResultOf(httpStatus: number): AttemptResult {
  if (httpStatus >= 200 && httpStatus < 300) return { ok: true, httpStatus };
  return { ok: false, httpStatus, error: httpStatus >= 300 && httpStatus < 400 ? "redirect" : "not_2xx" };
}

export type Schedule = { delaysS: readonly number[]; retries: number };

export type NextStep = { state: "delivered" } | { state: "failed" } | { state: "waiting"; dueAt: number };

/** `failures` is the number of failed attempts before this one. Delays start at `endedAt` (Unix ms). */
export function afterAttempt(id: string, failures: number, result: AttemptResult, schedule: Schedule, endedAt: number): NextStep {
  if (result.ok) return { state: "delivered" };
  const delayS = failures < schedule.retries ? schedule.delaysS[failures] : undefined;
  if (delayS === undefined) return { state: "failed" };
  return { state: "waiting", dueAt: endedAt + delayS * 1_000 + jitterMs(id, failures + 1, delayS) };
}

const NO_JITTER_UP_TO_S = 5;
const JITTER = { share: 0.02, mostMs: 60_000 } as const;

/** Spreads retries after an outage by delaying each by 0-2 %. The result is deterministic. */
export function jitterMs(id: string, retry: number, delayS: number): number {
  if (delayS <= NO_JITTER_UP_TO_S) return 0;
  const hash = sha256(utf8ToBytes(`${id}:${retry}`));
  const fraction = new DataView(hash.buffer, hash.byteOffset).getUint32(0) / 2 ** 32;
  return Math.floor(fraction * Math.min(delayS * 1_000 * JITTER.share, JITTER.mostMs));
}

/** A webhook is disabled after 72 hours without an accepted delivery (docs/internals/delivery.md, "Disabling a webhook"). */
export const DISABLE_AFTER_MS = 72 * HOUR_MS;

/** Times are in Unix ms. `unreachable` counts consecutive failures, up to a limit. `recovering` responses restore full concurrency. */
export type ReceiverHealth = {
  firstFailedAt: number | null;
  lastFailedAt: number | null;
  lastSuccessAt: number | null;
  unreachable: number;
  recovering: number;
};

/** Concurrent attempts per receiver: fewer after some consecutive unreachable results, and fewest after many. */
const SLOTS = { most: 4, afterSome: 2, afterMany: 1 } as const;
const UNREACHABLE = { some: 5, many: 20 } as const;
const RESPONSES_PER_SLOT = 5;
/** Statuses that a reverse proxy returns if its backend is down or overloaded. */
const DOWN_STATUSES: ReadonlySet<number | null> = new Set([429, 502, 503, 504]);
const RECOVERY_PAUSE_MS = 1_000;

export function healthAfter(health: ReceiverHealth, result: AttemptResult, endedAt: number): ReceiverHealth {
  const recovering = Math.max(0, health.recovering - 1);
  if (result.ok) return { ...withoutFailures(health), lastSuccessAt: endedAt, recovering };
  const down = isDown(result);
  const unreachable = down ? Math.min(health.unreachable + 1, UNREACHABLE.many) : 0;
  const expired = health.lastFailedAt !== null && endedAt - health.lastFailedAt > DISABLE_AFTER_MS;
  return {
    ...health,
    firstFailedAt: expired ? endedAt : (health.firstFailedAt ?? endedAt),
    lastFailedAt: endedAt,
    unreachable,
    recovering: down ? Math.max(health.recovering, missingResponses(unreachable)) : recovering,
  };
}

function isDown(result: AttemptResult): boolean {
  if (result.ok) return false;
  return result.error === "timeout" || result.error === "connection_failed" || DOWN_STATUSES.has(result.httpStatus);
}

function missingResponses(unreachable: number): number {
  if (unreachable >= UNREACHABLE.many) return (SLOTS.most - SLOTS.afterMany) * RESPONSES_PER_SLOT;
  return unreachable >= UNREACHABLE.some ? (SLOTS.most - SLOTS.afterSome) * RESPONSES_PER_SLOT : 0;
}

export function withoutFailures(health: ReceiverHealth): ReceiverHealth {
  return { ...health, firstFailedAt: null, lastFailedAt: null, unreachable: 0 };
}

/** Call it right after a failure, because time alone never disables a receiver (docs/internals/delivery.md, "Disabling a webhook"). */
export function shouldDisable(health: ReceiverHealth, disableAfterMs: number | null, now: number): boolean {
  return disableAfterMs !== null && health.firstFailedAt !== null && now - health.firstFailedAt >= disableAfterMs;
}

/** When the next failure would disable the receiver (Unix ms). Null if the receiver is not failing, or can never be disabled. */
export function disablesAt(health: ReceiverHealth, disableAfterMs: number | null, now: number): number | null {
  const { firstFailedAt, lastFailedAt } = health;
  if (disableAfterMs === null || firstFailedAt === null) return null;
  return lastFailedAt !== null && now - lastFailedAt > DISABLE_AFTER_MS ? null : firstFailedAt + disableAfterMs;
}

/** An unreachable receiver gets fewer attempts, down to a single probe, and then one more for every five responses. */
export function concurrencyFor({ recovering }: ReceiverHealth): number {
  return SLOTS.most - Math.ceil(recovering / RESPONSES_PER_SLOT);
}

/** Pause (ms) after a recovering receiver responded, because all senders probe it at once. `health` is from before the attempt. */
export function pauseAfter(health: ReceiverHealth, result: AttemptResult): number {
  return concurrencyFor(health) === SLOTS.afterMany && !isDown(result) ? RECOVERY_PAUSE_MS : 0;
}

// Values of `last_error` in the Account API (docs/use/account-api.md, "Webhook endpoints").
const DELIVERY_ERRORS: Record<DeliveryError, string> = {
  timeout: "no response in time",
  connection_failed: "the connection failed",
  redirect: "the receiver responded with a redirect, which the gateway does not follow",
  not_2xx: "the receiver responded with a status other than 2xx",
  url_not_allowed: "the url is not allowed: use a public https address",
  queue_full: "dropped: too many deliveries were waiting for this receiver",
  webhook_disabled: "not sent: the webhook is disabled",
};

export function deliveryErrorText(stored: string | null): string | null {
  if (stored === null) return null;
  const texts: Readonly<Record<string, string>> = DELIVERY_ERRORS;
  return texts[stored] ?? stored;
}
