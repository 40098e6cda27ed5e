// Limits of the identity routes: exact sliding windows, and the addresses familiar to an account.
import { LIMITS } from "../limits.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import type { GuardVerdict } from "./address-guard.ts";
import { SlidingWindow } from "./sliding-window.ts";

export type IdentityCount = keyof typeof LIMITS.identity;

/** Times of accepted requests (Unix ms, oldest first), by counter name. Each familiar address has its own counter. */
export type Counts = Readonly<Record<string, readonly number[]>>;

export type FamiliarPlaces = Readonly<Record<string, number>>;

const MAX_FAMILIAR_PLACES = 10;
const FAMILIAR_MS = 30 * DAY_MS;

/** Counts one request of each kind, or none if any of the kinds is at its limit. */
export function takeAll(counts: Counts, kinds: readonly IdentityCount[], now: number): { counts: Counts; verdict: GuardVerdict } {
  return take(
    counts,
    kinds.map((kind) => [kind, kind]),
    now,
  );
}

/** Claims the attempt before the password check. Unfamiliar addresses share one count, so attackers cannot lock out the account's user. */
export function claimAttempt(
  counts: Counts,
  places: FamiliarPlaces,
  place: string,
  now: number,
): { counts: Counts; verdict: GuardVerdict } {
  const isFamiliar = now - (places[place] ?? Number.NEGATIVE_INFINITY) < FAMILIAR_MS;
  return take(counts, [isFamiliar ? ["familiarFailures", countOfPlace(place)] : ["unfamiliarFailures", "unfamiliarFailures"]], now);
}

export function giveBack(counts: Counts, place: string, claimedAt: number): Counts {
  for (const key of [countOfPlace(place), "unfamiliarFailures"]) {
    const times = counts[key] ?? [];
    const index = times.lastIndexOf(claimedAt);
    if (index !== -1) return { ...counts, [key]: times.toSpliced(index, 1) };
  }
  return counts;
}

export function remember(places: FamiliarPlaces, place: string, now: number): FamiliarPlaces {
  const known = Object.entries({ ...places, [place]: now }).filter(([, at]) => now - at < FAMILIAR_MS);
  return Object.fromEntries(known.sort(([, a], [, b]) => b - a).slice(0, MAX_FAMILIAR_PLACES));
}

export function countsExpireAt(counts: Counts, places: FamiliarPlaces): number {
  const ends = Object.entries(counts).map(([key, times]) => (times.at(-1) ?? 0) + windowOf(key));
  return Math.max(0, ...ends, ...Object.values(places).map((at) => at + FAMILIAR_MS));
}

function countOfPlace(place: string): string {
  return `place ${place}`;
}

function windowOf(key: string): number {
  return LIMITS.identity[key in LIMITS.identity ? (key as IdentityCount) : "familiarFailures"].windowMs;
}

function take(
  counts: Counts,
  kinds: readonly (readonly [IdentityCount, string])[],
  now: number,
): { counts: Counts; verdict: GuardVerdict } {
  const next: Record<string, readonly number[]> = { ...counts };
  for (const [kind, key] of kinds) {
    const { requests, windowMs } = LIMITS.identity[kind];
    const window = new SlidingWindow(requests, windowMs, counts[key] ?? []);
    const verdict = window.accept(now);
    const times = window.times();
    // Also stores the windows of refused requests, because their times change if the clock was set back.
    if (!verdict.accepted) return { counts: { ...counts, [key]: times }, verdict: { blocked: true, retryAfterMs: verdict.retryAfterMs } };
    next[key] = times;
  }
  return { counts: next, verdict: { blocked: false } };
}
