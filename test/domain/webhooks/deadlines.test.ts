import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Deadlines } from "#root/durable-objects/connection/delivery/deadlines.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

/** How far the clock was set forward. */
let step: number;
let expired: string[];
let deadlines: Deadlines;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  [step, expired] = [0, []];
  deadlines = new Deadlines(() => Date.now() + step);
});
afterEach(() => {
  vi.useRealTimers();
});

const start = (name: string, ms = 10_000) => deadlines.after(ms, () => expired.push(name));
function pass(ms: number): string[] {
  vi.advanceTimersByTime(ms);
  return expired.splice(0);
}

it("a deadline passes after its time, whichever deadlines are added or dropped meanwhile", () => {
  start("long", 10_000);
  const drop = start("dropped", 3_000);
  expect(pass(1_000)).toEqual([]);
  start("short", 4_000);
  drop();
  expect(pass(3_999)).toEqual([]);
  expect(pass(1)).toEqual(["short"]);
  expect(pass(4_999)).toEqual([]);
  expect(pass(1)).toEqual(["long"]);
  pass(HOUR_MS);
  start("later");
  expect(pass(10_000)).toEqual(["later"]);
  expect(vi.getTimerCount()).toBe(0);
});

it("a clock that is set back postpones a deadline at most by the time of the running ones", () => {
  start("before");
  pass(4_000);
  step -= HOUR_MS;
  start("after");
  expect(pass(6_000)).toEqual(["before"]);
  expect(pass(3_999)).toEqual([]);
  expect(pass(6_001)).toEqual(["after"]);
  step -= HOUR_MS;
  start("alone");
  expect(pass(10_000)).toEqual(["alone"]);
});

it("a clock that is set forward ends no attempt early", () => {
  start("first");
  pass(8_000);
  start("second");
  step += HOUR_MS;
  expect(pass(2_000)).toEqual(["first"]);
  expect(pass(7_999)).toEqual([]);
  expect(pass(1)).toEqual(["second"]);
});
