import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fasterTimersOf } from "../../support/bridge/faster-timers.ts";

let waits: number[] = [];

beforeEach(async () => {
  waits = [];
  vi.stubGlobal("setTimeout", (_work: () => void, ms: number) => waits.push(ms));
  await import(/* @vite-ignore */ fasterTimersOf("retrySoon", 10));
});
afterEach(() => vi.unstubAllGlobals());

it("faster timers are those of the named code, and all other timers keep their time", () => {
  const retrySoon = () => setTimeout(() => undefined, 60_000);
  const giveUp = () => setTimeout(() => undefined, 45_000);
  retrySoon();
  giveUp();
  expect(waits).toEqual([6_000, 45_000]);
});
