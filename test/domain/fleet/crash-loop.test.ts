// Detects that a build's processes exit in a loop.
import { describe, expect, it } from "vitest";
import { type BridgeStart, isCrashLoop } from "@gateway/domain/fleet/crash-loop.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";

const NOW = 1_900_000_000_000;

/** Starts of one bridge, in milliseconds before now. The pool learns of each a second later. */
const starts = (bridge: string, build: string | null, before: readonly number[], ending = false): BridgeStart[] =>
  before.map((ms) => ({ bridge, build, startedAt: NOW - ms, at: NOW - ms + 1_000, ending }));
const judged = (all: readonly BridgeStart[], since = 0) => isCrashLoop(all, "new", since, NOW);

describe("a crash loop of a build", () => {
  it("is found when its processes end three times in ten minutes, soon after their start", () => {
    expect(judged(starts("a", "new", [70_000, 60_000, 40_000]))).toBe(false);
    expect(judged(starts("a", "new", [70_000, 60_000, 40_000, 2_000]))).toBe(true);
    expect(judged([...starts("a", "new", [60_000, 40_000]), ...starts("b", "new", [60_000, 40_000, 9_000])])).toBe(true);
  });

  it("is not found in planned exits, exits long after the start, or exits before the share was set", () => {
    expect(judged(starts("a", "new", [70_000, 60_000, 40_000, 2_000], true))).toBe(false);
    expect(
      judged(
        starts(
          "a",
          "new",
          [24, 18, 12, 6, 0].map((minutes) => minutes * MINUTE_MS),
        ),
      ),
    ).toBe(false);
    expect(
      judged(
        starts(
          "a",
          "new",
          [16, 15, 14, 13].map((minutes) => minutes * MINUTE_MS),
        ),
      ),
    ).toBe(false);
    expect(judged(starts("a", "new", [70_000, 60_000, 40_000, 3_000]), NOW - 30_000)).toBe(false);
  });

  it("is not found if other builds do the same, each process started once, or a bridge only redials", () => {
    const loop = [70_000, 60_000, 40_000, 2_000];
    expect(judged([...starts("a", "new", loop), ...starts("b", "old", loop)])).toBe(false);
    expect(judged(starts("a", "old", loop))).toBe(false);
    expect(judged(["a", "b", "c", "d"].flatMap((bridge) => starts(bridge, "new", [60_000])))).toBe(false);
  });
});
