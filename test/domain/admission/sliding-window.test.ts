import { describe, expect, it } from "vitest";
import { retryAfterSeconds, SlidingWindow } from "@gateway/domain/admission/sliding-window.ts";

const WINDOW = 10_000;

/** A brute-force version of the limit: refused if 200 were accepted within the last 10 seconds. */
function oracle(limit: number, times: readonly number[]): boolean[] {
  const accepted: number[] = [];
  return times.map((now) => {
    const fits = accepted.filter((time) => time > now - WINDOW).length < limit;
    if (fits) accepted.push(now);
    return fits;
  });
}

/** A small seeded generator, so failures can be reproduced. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

describe("the sliding window", () => {
  it("agrees with the definition on random traces", () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const next = random(seed);
      const limit = 1 + Math.floor(next() * 20);
      let now = 1_000_000;
      const times = Array.from({ length: 400 }, () => {
        now += next() < 0.05 ? Math.floor(next() * 12_000) : Math.floor(next() * 900);
        return now;
      });
      const window = new SlidingWindow(limit, WINDOW);
      expect(
        times.map((time) => window.accept(time).accepted),
        `seed ${seed}`,
      ).toEqual(oracle(limit, times));
    }
  });

  it("lets 200 back-to-back requests pass and another 200 exactly ten seconds later", () => {
    const window = new SlidingWindow(200, WINDOW);
    const pass = (at: number) => Array.from({ length: 201 }, () => window.accept(at)).filter((verdict) => verdict.accepted).length;
    expect(pass(0)).toBe(200);
    expect(pass(9_999)).toBe(0);
    expect(pass(10_000)).toBe(200);
  });

  it("counts like a naive implementation, on random traces", () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const next = random(seed);
      const limit = 1 + Math.floor(next() * 20);
      const window = new SlidingWindow(limit, WINDOW);
      const accepted: number[] = [];
      const [states, expected]: [unknown[], unknown[]] = [[], []];
      let now = 1_000_000;
      for (let call = 0; call < 200; call += 1) {
        now += next() < 0.05 ? Math.floor(next() * 12_000) : Math.floor(next() * 900);
        if (window.accept(now).accepted) accepted.push(now);
        const later = now + Math.floor(next() * 11_000);
        const inside = accepted.filter((time) => later - time < WINDOW);
        const resetMs = inside[0] === undefined ? 0 : inside[0] + WINDOW - later;
        states.push(window.state(later));
        expected.push({ used: inside.length, resetMs });
      }
      expect(states, `seed ${seed}`).toEqual(expected);
    }
  });

  it("returns how long to wait", () => {
    const window = new SlidingWindow(1, WINDOW);
    window.accept(0);
    expect(window.accept(2_500)).toEqual({ accepted: false, retryAfterMs: 7_500 });
    expect(retryAfterSeconds(7_500)).toBe(8);
    expect(retryAfterSeconds(0)).toBe(1);
  });

  it("continues from checkpointed times", () => {
    const before = new SlidingWindow(3, WINDOW);
    for (const time of [0, 4_000, 5_000, 10_500]) before.accept(time);
    const after = new SlidingWindow(3, WINDOW, before.times());
    expect(after.accept(13_999).accepted).toBe(false);
    expect(after.accept(14_000).accepted).toBe(true);
  });

  it("admits no more when the clock steps back", () => {
    const window = new SlidingWindow(1, WINDOW);
    window.accept(50_000);
    expect(window.accept(30_000).accepted).toBe(false);
  });

  it("refuses nothing of a steady rate below the limit when the clock is set back", () => {
    const window = new SlidingWindow(200, WINDOW);
    const stepAt = 30_000;
    const refused: number[] = [];
    for (let at = 0; at < 1_200_000; at += 100) {
      if (!window.accept(at < stepAt ? at : at - 600_000).accepted) refused.push(at);
    }
    expect(refused).toEqual([]);
  });

  it("reports room again within a window after a clock was set back, without a request", () => {
    const window = new SlidingWindow(200, WINDOW);
    for (let at = 600_000; at < 620_000; at += 100) window.accept(at);
    expect(window.state(20_000)).toEqual({ used: 100, resetMs: 100 });
    expect(window.state(20_000 + WINDOW)).toEqual({ used: 0, resetMs: 0 });
    expect(window.accept(30_100).accepted).toBe(true);
  });

  it("loses no more than the pause before a clock was set back, and never admits too many", () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const next = random(seed);
      const limit = 1 + Math.floor(next() * 20);
      const window = new SlidingWindow(limit, WINDOW);
      // `elapsed`: true time. `counted`: true time minus pauses that ended with a step back, which the window cannot detect.
      let [elapsed, counted, clock] = [0, 0, 1_000_000];
      const counts: number[] = [];
      const verdicts: boolean[] = [];
      const accepted: number[] = [];
      let most = 0;
      for (let call = 0; call < 400; call += 1) {
        const pause = Math.floor(next() * 900);
        const back = next() < 0.02 ? pause + 1 + Math.floor(next() * 900_000) : 0;
        elapsed += pause;
        clock += pause - back;
        counted += back > 0 ? 0 : pause;
        counts.push(counted);
        verdicts.push(window.accept(clock).accepted);
        if (verdicts.at(-1)) accepted.push(elapsed);
        most = Math.max(most, accepted.filter((time) => time > elapsed - WINDOW).length);
      }
      expect(most, `seed ${seed}`).toBeLessThanOrEqual(limit);
      expect(verdicts, `seed ${seed}`).toEqual(oracle(limit, counts));
    }
  });

  it("continues from a checkpoint that is later than the clock", () => {
    const window = new SlidingWindow(2, WINDOW, [50_000, 55_000]);
    expect(window.accept(1_000)).toEqual({ accepted: false, retryAfterMs: 5_000 });
    expect(window.accept(6_000).accepted).toBe(true);
  });
});
