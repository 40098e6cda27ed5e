// The network drops every bridge's connections and recovers at once. Measures when the sessions reconnect.
import { describe, expect, it } from "vitest";
import { OpenSockets } from "#root/session-bridge/open-sockets.ts";
import { backoffMs } from "#root/session-bridge/reconnect-delays.ts";
import { dice } from "./support/dice.ts";
import { ratesOf, report } from "./support/rates.ts";

const SPREAD_MS = 30_000;

/** When lost connections reopen, in ms, if each bridge loses its first `lost` connections within `overMs`. */
function openings(bridges: number, open: number, lost: number, overMs: number): number[] {
  const random = dice(41);
  const times: number[] = [];
  for (let bridge = 0; bridge < bridges; bridge += 1) {
    const openSockets = new OpenSockets(random);
    for (let n = 0; n < open; n += 1) openSockets.opened();
    const losses = Array.from({ length: lost }, () => random() * overMs).sort((one, other) => one - other);
    const alone: number[] = [];
    for (const at of losses) {
      openSockets.closed();
      openSockets.lost(at);
      const pauseOver = at + backoffMs(1, 1_000, 300_000, random);
      const wait = openSockets.waitMs(at);
      if (wait > 0) times.push(pauseOver + wait);
      else alone.push(pauseOver);
    }
    // Sessions unaware of the others' loss check again after their delay.
    for (const at of alone) times.push(at + openSockets.waitMs(at));
  }
  return times;
}

describe("a network drop", () => {
  it.each([10, 1_000])(
    "keeps the busiest second of 100,000 reconnects within three times the mean when all drop within %i ms",
    (overMs) => {
      const times = openings(667, 150, 150, overMs);
      const { count, busiest, ratio } = ratesOf(times, SPREAD_MS);
      report(`network drops all within ${overMs} ms`, {
        lines: count,
        busiest,
        ratio,
        last_s: Math.max(...times.slice(0, 10_000)) / 1_000,
      });
      expect(ratio).toBeLessThanOrEqual(3);
    },
  );

  it.each([
    ["fewer than ten", 40, 9],
    ["fewer than a fifth", 150, 29],
  ])("delays no reconnect when a bridge loses %s of its connections", (_, open, lost) => {
    const times = openings(10, open, lost, 10);
    expect(times).toHaveLength(10 * lost);
    expect(Math.max(...times)).toBeLessThanOrEqual(10 + 1_200);
  });
});
