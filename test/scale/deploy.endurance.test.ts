// A deploy drops every bridge's sockets at once. Measures when the sessions redial, and checks whether any of them moves in the meantime.
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Dial, DialQueue } from "../../session-bridge/gateway/dial-queue.ts";
import { REDIAL_FIRST_MS, sessionSocketLosses } from "../../session-bridge/gateway/session-socket.ts";
import { backoffMs } from "#root/session-bridge/reconnect-delays.ts";
import { DIALS, REDIAL, REDIAL_WITHIN_MS } from "@gateway/protocol/session-socket.ts";
import { DialBacklog } from "../../durable-objects/bridge-pool/dial-backlog.ts";
import { INSTANCE_LIMITS } from "@gateway/domain/instance/state.ts";
import { dice } from "./support/dice.ts";
import { ratesOf, report } from "./support/rates.ts";

/** Redial times of all sessions on these bridges after their sockets closed within `overMs`; in ms, ascending. */
function redials(bridges: number, sessions: number, overMs: number): number[] {
  const random = dice(14);
  const times: number[] = [];
  for (let bridge = 0; bridge < bridges; bridge += 1) {
    const together = sessionSocketLosses(random);
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

describe("a deploy", () => {
  it.each([40, 500, 2_000])(
    "keeps the busiest second of 100,000 redials within three times the mean when sockets close within %i ms",
    (overMs) => {
      const times = redials(667, 150, overMs);
      const { count, busiest, ratio } = ratesOf(times, REDIAL.spreadMs);
      const latest = times.at(-1) ?? Number.NaN;
      report(`deploy, sockets closed within ${overMs} ms`, { sessions: count, busiest, ratio, last_s: latest / 1_000 });
      expect(ratio).toBeLessThanOrEqual(3);
      // A dial has time left before the object looks for another bridge.
      expect(latest).toBeLessThan(REDIAL_WITHIN_MS - 5_000);
    },
  );

  it("ends sooner for small bridges: each session redials within 0.1 s per session of its bridge", () => {
    const times = redials(3, 20, 40);
    expect(times.at(-1)).toBeLessThan(20 * 100 + 40 + 240);
    expect(redials(3, 9, 40).at(-1)).toBeLessThanOrEqual(40 + 240);
  });
});

/** Completion times of dials that are queued at `starts` and take `tookMs` each; in ms. A dial starts once the queue has capacity. */
async function answers(starts: readonly number[], tookMs: number): Promise<number[]> {
  vi.useFakeTimers();
  const began = Date.now();
  const queue = new DialQueue();
  const answered: number[] = [];
  for (const start of starts) {
    const dial: Dial = {
      timeouts: 0,
      isWanted: () => false,
      begin: () =>
        void setTimeout(() => {
          answered.push(Date.now() - began);
          queue.done(dial);
        }, tookMs),
      timedOut: () => undefined,
    };
    setTimeout(() => queue.add(dial), start);
  }
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  return answered;
}

describe("a bridge with a dial queue", () => {
  afterEach(() => void vi.useRealTimers());

  it.each([
    [150, 1_500],
    [250, 1_500],
    [150, 2_000],
  ])("has %i sessions back after a deploy before any is moved, when a dial takes %i ms", async (sessions, tookMs) => {
    const times = await answers(redials(1, sessions, 500), tookMs);
    const last = Math.max(...times);
    report(`deploy, ${sessions} sessions of a bridge, dials of ${tookMs} ms`, { sessions: times.length, last_s: last / 1_000 });
    expect(times).toHaveLength(sessions);
    expect(last).toBeLessThan(REDIAL_WITHIN_MS);
  });

  it("gets a dial deadline that covers its queue when it receives 150 sessions at once", async () => {
    const given = Array.from({ length: 150 }, () => 0);
    // Half of a dial's timeout.
    const times = await answers(given, INSTANCE_LIMITS.dialMs / 2);
    const backlog = new DialBacklog();
    const patience = given.map((at) => {
      backlog.given("bridge", at);
      return INSTANCE_LIMITS.dialMs + backlog.waitMs("bridge", at);
    });
    report("150 sessions given to a bridge at once, dials of 5 s", { last_s: times[149]! / 1_000, waited_for_s: patience[149]! / 1_000 });
    expect(times.map((time, n) => time - patience[n]!).filter((over) => over > 0)).toEqual([]);
    expect(patience.slice(0, DIALS.atOnce), "the first sessions need no extra time").toEqual(
      Array(DIALS.atOnce).fill(INSTANCE_LIMITS.dialMs),
    );
    backlog.forget("bridge");
    expect(backlog.waitMs("bridge", 0)).toBe(0);
  });
});
