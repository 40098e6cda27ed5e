// When a number starts its overdue work.
import { expect, it } from "vitest";
import { CatchUp } from "@gateway/domain/catch-up.ts";

const NOW = Date.UTC(2030, 0, 1);
const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;
/** An object with this id starts at the 30th second. */
const UUID = `0000${(30_000).toString(16)}-0000-4000-8000-000000000000`;

/** Successive instances of one object, sharing its storage. */
function object() {
  let stored: number | null = null;
  const found = {
    get: () => stored,
    set: (at: number) => {
      stored = at;
    },
  };
  return { startedAt: (now: number) => new CatchUp(UUID, now, found), stored: () => stored };
}

it("work that was due over a minute before its object started waits for the object's own catch-up time", () => {
  const catchUp = object().startedAt(NOW);
  expect(catchUp.notBefore(NOW - HOUR_MS)).toBe(NOW + 30_000);
  expect(catchUp.notBefore(NOW - 60_000)).toBe(NOW - 60_000);
  expect(catchUp.notBefore(NOW + 1)).toBe(NOW + 1);
  expect([catchUp.waitsBefore(NOW), catchUp.waitsBefore(NOW + 30_000)]).toEqual([NOW - 60_000, 0]);
});

it("an instance that starts later keeps the catch-up time, however late its alarm, and stores nothing more", () => {
  const { startedAt, stored } = object();
  startedAt(NOW).notBefore(NOW - HOUR_MS);
  for (const wokenAt of [NOW + 10 * SECOND_MS, NOW + 30 * SECOND_MS, NOW + 33 * SECOND_MS, NOW + HOUR_MS]) {
    const catchUp = startedAt(wokenAt);
    expect(catchUp.notBefore(NOW - HOUR_MS)).toBe(NOW + 30_000);
    expect(catchUp.waitsBefore(wokenAt)).toBe(wokenAt < NOW + 30_000 ? NOW - 60_000 : 0);
  }
  expect(stored()).toBe(NOW);
});

it("the next outage gets its own catch-up time", () => {
  const { startedAt } = object();
  startedAt(NOW).notBefore(NOW - HOUR_MS);
  const later = NOW + 5 * HOUR_MS;
  expect(startedAt(later).notBefore(later - HOUR_MS)).toBe(later + 30_000);
});

it("work that becomes overdue while the instance lives does not wait for the catch-up time", () => {
  const catchUp = object().startedAt(NOW);
  expect(catchUp.notBefore(NOW + 1)).toBe(NOW + 1);
});

it("a clock that was set back makes work wait no longer than until the catch-up time", () => {
  const { startedAt } = object();
  startedAt(NOW + HOUR_MS).notBefore(NOW);
  expect(startedAt(NOW).notBefore(NOW - HOUR_MS)).toBe(NOW + 30_000);
});

it("waiting work is due again at its own time once a caller has ended the catch-up", () => {
  const catchUp = object().startedAt(NOW);
  expect(catchUp.notBefore(NOW - HOUR_MS)).toBe(NOW + 30_000);
  catchUp.end();
  expect([catchUp.waitsBefore(NOW), catchUp.notBefore(NOW - HOUR_MS)]).toEqual([0, NOW - HOUR_MS]);
});
