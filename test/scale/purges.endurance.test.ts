// Each number's hourly and daily clean-up, and its daily directory read, never happen for all numbers in one second.
import { expect, it } from "vitest";
import { gridOf } from "@gateway/domain/spread.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";

const NUMBERS = 100_000;
const START = Date.UTC(2026, 10, 1, 12);

const uuids = Array.from({ length: NUMBERS }, () => crypto.randomUUID());

/** The busiest second's alarms, as a multiple of the mean. */
function busiest(times: readonly number[], periodMs: number): number {
  const seconds = new Map<number, number>();
  for (const at of times) seconds.set(Math.floor(at / 1_000), (seconds.get(Math.floor(at / 1_000)) ?? 0) + 1);
  return Math.max(...seconds.values()) / Math.max(1, times.length / (periodMs / 1_000));
}

it.each([
  ["an hour", HOUR_MS, 3],
  // About one per second: by chance alone, the busiest of 86,400 seconds has several times the mean.
  ["a day", DAY_MS, 10],
] as const)("the busiest second of %s of purge alarms stays near the mean", (name, periodMs, most) => {
  const due = uuids.map((uuid) => gridOf(uuid, periodMs)(START));
  const before = uuids.map(() => Math.ceil((START + 1) / periodMs) * periodMs);
  const [now, then] = [busiest(due, periodMs), busiest(before, periodMs)];
  console.info(`purge alarms, busiest second of ${name}, ${NUMBERS} numbers: ${now.toFixed(2)} × the mean (before: ${then.toFixed(0)} ×)`);
  expect(now).toBeLessThanOrEqual(most);
  expect(due.every((at) => at >= START && at < START + periodMs)).toBe(true);
});

it("a number's hourly clean-up has the same offset in every hour", () => {
  const hours = gridOf(uuids[0] ?? "", HOUR_MS);
  expect(hours(hours(START) + 1)).toBe(hours(START) + HOUR_MS);
  expect(hours(hours(START))).toBe(hours(START));
});
