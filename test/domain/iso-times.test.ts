import { expect, it } from "vitest";
import { isoOfMs, isoOfMsOrNull, isoOfSeconds } from "@gateway/domain/iso-times.ts";

it("a time that a sender chose is shown as the nearest one that a Date can represent", () => {
  expect(isoOfMs(Number.MAX_SAFE_INTEGER)).toBe("+275760-09-13T00:00:00.000Z");
  expect(isoOfSeconds(Number.MIN_SAFE_INTEGER)).toBe("-271821-04-20T00:00:00.000Z");
  expect(isoOfMsOrNull(null)).toBeNull();
  expect(isoOfMs(1_795_176_000_000)).toBe("2026-11-20T12:00:00.000Z");
});
