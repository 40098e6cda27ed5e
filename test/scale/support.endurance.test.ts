// Tests this folder's helpers.
import { expect, it } from "vitest";
import { ratesOf, report } from "./support/rates.ts";
import { START, VirtualTime } from "./support/virtual-time.ts";

it("virtual time runs callbacks in order of time, then of scheduling", () => {
  const time = new VirtualTime();
  const happened: [string, number][] = [];
  const note = (what: string) => () => void happened.push([what, time.now - START]);
  time.after(2000, note("second"));
  time.after(2000, note("third"));
  time.after(1000, () => {
    note("first")();
    time.after(500, note("planned meanwhile"));
    time.at(START, note("overdue"));
  });
  time.after(9000, note("later"));
  time.runUntil(START + 5000);
  expect(happened).toEqual([
    ["first", 1000],
    ["overdue", 1000],
    ["planned meanwhile", 1500],
    ["second", 2000],
    ["third", 2000],
  ]);
  expect(time.now).toBe(START + 5000);
  time.runOut();
  expect(happened.at(-1)).toEqual(["later", 9000]);
});

it("virtual time runs a day of 10,000 hourly clocks in order", () => {
  const time = new VirtualTime();
  const rung: number[] = [];
  const ring = (everyMs: number) => () => {
    rung.push(time.now);
    time.after(everyMs, ring(everyMs));
  };
  for (let clock = 0; clock < 10_000; clock++) time.after((clock * 7919) % 3_600_000, ring(3_600_000));
  time.runUntil(START + 24 * 3_600_000 - 1);
  expect(rung).toHaveLength(240_000);
  expect(rung).toEqual(rung.toSorted((a, b) => a - b));
  report("a day of 10,000 hourly clocks, spread over the hour", ratesOf(rung));
});

it("the rates compare the busiest second with the mean", () => {
  expect(ratesOf([0, 100, 200, 5_999, 9_000])).toEqual({ count: 5, busiest: 3, mean: 0.5, ratio: 6, seconds: 10 });
  expect(ratesOf([0, 1_000], 10_000)).toMatchObject({ mean: 0.2, ratio: 5 });
});
