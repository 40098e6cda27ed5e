// Per-address limits on the identity routes when the clock steps.
import { expect, it } from "vitest";
import { claimAttempt, type Counts, takeAll } from "@gateway/domain/admission/identity-counts.ts";
import { LIMITS } from "@gateway/domain/limits.ts";

const START = 1_800_000_000_000;
const BACK_MS = 600_000;
const STEP_MS = 1_000;

it("the identity limits refuse for at most a window after a clock was set back", () => {
  for (const kind of Object.keys(LIMITS.identity) as (keyof typeof LIMITS.identity)[]) {
    const { requests, windowMs } = LIMITS.identity[kind];
    let counts: Counts = {};
    const take = (now: number) => {
      const taken = takeAll(counts, [kind], now);
      counts = taken.counts;
      return taken.verdict;
    };
    for (let n = 0; n < requests; n += 1) expect(take(START).blocked).toBe(false);
    expect(take(START - BACK_MS).blocked, kind).toBe(true);
    expect(take(START - BACK_MS + windowMs - 1).blocked, kind).toBe(true);
    expect(take(START - BACK_MS + windowMs).blocked, kind).toBe(false);
    // Forward again: attempts older than the window do not count.
    for (let n = 1; n < requests; n += 1) take(START + windowMs);
    expect(take(START + 3 * windowMs).blocked, kind).toBe(false);
  }
});

it("the identity limits return a correct wait after a clock was set back", () => {
  let counts: Counts = {};
  const attempt = (now: number) => {
    const claimed = claimAttempt(counts, {}, "place", now);
    counts = claimed.counts;
    return claimed.verdict;
  };
  let now = START;
  while (!attempt(now).blocked) now += STEP_MS;
  const refused = attempt(now - BACK_MS);
  if (!refused.blocked) throw new Error("the limit is lost");
  expect(attempt(now - BACK_MS + refused.retryAfterMs).blocked).toBe(false);
});
