// Derives the gateway's clock from its responses, which have whole seconds.
import { expect, it } from "vitest";
import { clockError } from "#root/dashboard/src/api/server-time.ts";

const NOON = Date.UTC(2026, 10, 22, 12);

it("the reader's clock is trusted unless a response contradicts it", () => {
  expect(clockError(0, { serverDate: NOON, askedAt: NOON + 200, answeredAt: NOON + 700 })).toBe(0);
  // Half a second either way may be network latency.
  expect(clockError(300, { serverDate: NOON, askedAt: NOON + 500, answeredAt: NOON + 900 })).toBe(300);
  // A slow response is inaccurate.
  expect(clockError(0, { serverDate: NOON + 8_000, askedAt: NOON, answeredAt: NOON + 9_000 })).toBe(0);
});

it("a clock that is minutes off is detected, and so is its correction", () => {
  const ahead = clockError(0, { serverDate: NOON, askedAt: NOON + 600_000, answeredAt: NOON + 600_400 });
  expect(Math.abs(ahead - 600_000)).toBeLessThanOrEqual(1_000);
  const behind = clockError(0, { serverDate: NOON, askedAt: NOON - 90_000, answeredAt: NOON - 89_900 });
  expect(Math.abs(behind + 90_000)).toBeLessThanOrEqual(1_000);
  expect(Math.abs(clockError(ahead, { serverDate: NOON, askedAt: NOON + 300, answeredAt: NOON + 400 }))).toBeLessThanOrEqual(1_000);
});
