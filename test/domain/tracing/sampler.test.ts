import { describe, expect, it } from "vitest";
import { Sampler } from "@gateway/tracing/sampler.ts";

const START = 1_700_000_000_000;
const taken = (sampler: Sampler, times: number, stepMs: number) =>
  Array.from({ length: times }, (_, index) => sampler.takes(START + index * stepMs)).filter(Boolean).length;

describe("the ratio", () => {
  it.each([
    [0, 0],
    [0.25, 250],
    [1, 1_000],
  ])("%s takes %s of 1,000 at ten a second", (ratio, expected) => {
    let drawn = 0;
    const sampler = new Sampler(ratio, () => (drawn++ % 100) / 100);
    expect(taken(sampler, 1_000, 100)).toBe(expected);
  });
});

describe("a flood", () => {
  it("gets twenty traces a second, whatever the ratio", () => {
    expect(taken(new Sampler(1), 100_000, 0.1)).toBeGreaterThanOrEqual(200);
    expect(taken(new Sampler(1), 100_000, 0.1)).toBeLessThanOrEqual(220);
  });

  it("does not block later requests", () => {
    const sampler = new Sampler(1);
    taken(sampler, 1_000, 0);
    expect(sampler.takes(START)).toBe(false);
    expect(sampler.takes(START + 1_000)).toBe(true);
  });

  it("does not save up traces while nothing happens, nor lose them when the clock steps back", () => {
    const sampler = new Sampler(1);
    expect(taken(sampler, 100, 0)).toBe(20);
    expect(sampler.takes(START - 600_000)).toBe(false);
    expect(sampler.takes(START - 599_000)).toBe(true);
  });
});
