// A deploy drops all sockets of all bridges at once: when their sessions dial again, and whether any is moved meanwhile.
import { describe, expect, it } from "vitest";
import { REDIAL_FIRST_MS, socketsLostTogether } from "../../session-bridge/gateway/session-socket.ts";
import { backoffMs } from "../../session-bridge/backoff.ts";
import { REDIAL, REDIAL_WITHIN_MS } from "../../src/protocol/session-socket.ts";
import { dice } from "./support/dice.ts";
import { ratesOf, report } from "./support/rates.ts";

/** When each session of these bridges dials again after all sockets closed within `overMs`; in ms, ascending. */
function redials(bridges: number, sessions: number, overMs: number): number[] {
  const random = dice(14);
  const times: number[] = [];
  for (let bridge = 0; bridge < bridges; bridge += 1) {
    const together = socketsLostTogether(random);
    const losses = Array.from({ length: sessions }, () => random() * overMs);
    const changes = losses.flatMap((lostAt) => [
      { at: lostAt, isLoss: true },
      { at: lostAt + backoffMs(1, REDIAL_FIRST_MS, REDIAL.capMs, random), isLoss: false },
    ]);
    for (const { at, isLoss } of changes.sort((one, other) => one.at - other.at)) {
      if (isLoss) together.lost(at);
      else times.push(at + together.waitMs(at, 0));
    }
  }
  return times.sort((one, other) => one - other);
}

describe("a deploy with 100,000 sessions on 667 bridges", () => {
  it.each([40, 500, 2_000])("whose sockets close within %i ms has its busiest second below three times the mean", (overMs) => {
    const times = redials(667, 150, overMs);
    const { count, busiest, ratio } = ratesOf(times, REDIAL.spreadMs);
    const latest = times.at(-1) ?? Number.NaN;
    report(`deploy, sockets closed within ${overMs} ms`, { sessions: count, busiest, ratio, last_s: latest / 1_000 });
    expect(ratio).toBeLessThanOrEqual(3);
    // Time to dial is left before the object looks for another bridge.
    expect(latest).toBeLessThan(REDIAL_WITHIN_MS - 5_000);
  });

  it("of small bridges is over sooner: nobody waits longer than a tenth of a second for each session of the bridge", () => {
    const times = redials(3, 20, 40);
    expect(times.at(-1)).toBeLessThan(20 * 100 + 40 + 240);
    expect(redials(3, 9, 40).at(-1)).toBeLessThanOrEqual(40 + 240);
  });
});
