// When a number begins with what it finds overdue.
import { expect, it } from "vitest";
import { CatchUp } from "../../src/domain/spread.ts";

const NOW = Date.UTC(2030, 0, 1);
const HOUR_MS = 3_600_000;
/** Its moment is the 30th second. */
const UUID = `0000${(30_000).toString(16)}-0000-4000-8000-000000000000`;

it("what was due more than a minute before its object started waits for the number's moment", () => {
  const catchUp = new CatchUp(UUID, NOW);
  expect(catchUp.notBefore(NOW - HOUR_MS)).toBe(NOW + 30_000);
  expect(catchUp.notBefore(NOW - 60_000)).toBe(NOW - 60_000);
  expect(catchUp.notBefore(NOW + 1)).toBe(NOW + 1);
  expect([catchUp.waitsBefore(NOW), catchUp.waitsBefore(NOW + 30_000)]).toEqual([NOW - 60_000, 0]);
});

it("an alarm that rings late makes it wait anew, one in time does not", () => {
  const catchUp = new CatchUp(UUID, NOW);
  const later = NOW + 5 * HOUR_MS;
  catchUp.rang(later - 60_000, later);
  expect([catchUp.waitsBefore(later), catchUp.notBefore(later - HOUR_MS)]).toEqual([0, later - HOUR_MS]);
  catchUp.rang(later - HOUR_MS, later);
  expect([catchUp.waitsBefore(later), catchUp.notBefore(later - HOUR_MS)]).toEqual([later - 60_000, later + 30_000]);
});

it("nothing waits any longer when somebody waits for it", () => {
  const catchUp = new CatchUp(UUID, NOW);
  catchUp.end();
  expect([catchUp.waitsBefore(NOW), catchUp.notBefore(NOW - HOUR_MS)]).toEqual([0, NOW - HOUR_MS]);
});
