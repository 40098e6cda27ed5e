// An open connection that receives nothing is detected and closed; a merely quiet number is left alone.
import { describe, expect, it } from "vitest";
import { DeafWatch } from "#root/session-bridge/networks/baileys/socket/deaf-watch.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

const CHECK_MS = 30_000;

describe("in sixty simulated days", () => {
  /** Stanzas per hour, including receipts; `at` counts from midnight on a Monday. */
  type Rate = (at: number, random: () => number) => number;
  const hour = (at: number) => (at % DAY_MS) / HOUR_MS;
  const isWeekend = (at: number) => Math.floor(at / DAY_MS) % 7 >= 5;
  const quiet: Rate = (at) => (hour(at) > 8 && hour(at) < 22 ? 0.6 : 0.05);
  const normal: Rate = (at) => {
    if (isWeekend(at)) return 0.3;
    if (hour(at) < 8 || hour(at) >= 18) return 0.5;
    return hour(at) >= 12 && hour(at) < 13 ? 20 : 120;
  };
  /** Campaigns and groups: twenty busy minutes, then hours with little traffic. */
  const bursty: Rate = (at) => {
    const noise = Math.sin(Math.floor(at / (20 * MINUTE_MS)) * 12.9898) * 43_758;
    return noise - Math.floor(noise) < 0.12 ? 180 : 0.5;
  };

  function randomOf(seed: number): () => number {
    let state = seed;
    return () => {
      state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
      return state / 2 ** 32;
    };
  }

  /** Nothing arrives after `deafAt`. */
  function live(rate: Rate, seed: number, days: number, deafAt = Infinity): number[] {
    const random = randomOf(seed);
    const watch = new DeafWatch({ read: () => undefined, write: () => undefined });
    const cuts: number[] = [];
    watch.opened(0);
    for (let at = 0; at < days * DAY_MS; at += CHECK_MS) {
      if (at < deafAt && random() < 1 - Math.exp((-rate(at, random) * CHECK_MS) / HOUR_MS)) watch.arrived(at);
      if (watch.deafFor(at) === null) continue;
      cuts.push(at);
      watch.closed(at);
      watch.opened(at + 2_000);
      if (at > deafAt) return cuts;
    }
    return cuts;
  }

  it.each([
    ["quiet", quiet, 0],
    ["normal", normal, 1],
    ["bursty", bursty, 3],
  ] as const)("a %s number's connection is hardly ever closed without need", (name, rate, perMonth) => {
    const numbers = 20;
    let cuts = 0;
    for (let seed = 1; seed <= numbers; seed += 1) cuts += live(rate, seed, 60).length;
    const monthly = cuts / numbers / 2;
    console.info(`${name}: ${monthly.toFixed(2)} lines a month cut for nothing`);
    expect(monthly).toBeLessThanOrEqual(perMonth);
  });

  it("a deaf number with traffic is detected within fifteen minutes", () => {
    const waits: number[] = [];
    for (let seed = 1; seed <= 40; seed += 1) {
      // Any minute from 9:00 to 11:00, or from 14:00 to 16:00, on a working day.
      const deafAt = 28 * DAY_MS + (seed % 2 ? 9 : 14) * HOUR_MS + ((seed * 37) % 120) * MINUTE_MS;
      const cut = live(normal, seed, 29, deafAt).find((at) => at > deafAt) ?? Infinity;
      waits.push((cut - deafAt) / MINUTE_MS);
    }
    waits.sort((a, b) => a - b);
    console.info(`deaf lines are cut after ${waits[20]?.toFixed(1)} minutes (median), ${waits.at(-1)?.toFixed(1)} at most`);
    expect(waits.at(-1)).toBeLessThanOrEqual(15);
  });
});

describe("the deaf watch", () => {
  const start = (kept?: string) => {
    let row = kept;
    const watch = new DeafWatch({ read: () => row, write: (text) => void (row = text) });
    watch.opened(0);
    return { watch, row: () => row };
  };
  /** A stanza every four minutes from 9 to 11 on each day. */
  const days = (watch: DeafWatch, from: number, to: number) => {
    for (let day = from; day < to; day += 1) {
      for (let at = day * DAY_MS + 9 * HOUR_MS; at <= day * DAY_MS + 11 * HOUR_MS; at += 4 * MINUTE_MS) watch.arrived(at);
      watch.closed(day * DAY_MS + 12 * HOUR_MS);
      watch.opened(day * DAY_MS + 13 * HOUR_MS);
    }
  };
  /** The fourth day's traffic until ten. */
  const TEN = 3 * DAY_MS + 10 * HOUR_MS;
  const untilTen = (watch: DeafWatch) => {
    for (let at = 3 * DAY_MS + 9 * HOUR_MS; at <= TEN; at += 4 * MINUTE_MS) watch.arrived(at);
  };

  it("reports a silence over ten minutes after three days of shorter ones, and not again for ten minutes", () => {
    const { watch } = start();
    days(watch, 0, 3);
    untilTen(watch);
    expect(watch.deafFor(TEN + 10 * MINUTE_MS)).toBeNull();
    expect(watch.deafFor(TEN + 10 * MINUTE_MS + 1)).toBe(10 * MINUTE_MS + 1);
    expect(watch.deafFor(TEN + 19 * MINUTE_MS)).toBeNull();
    expect(watch.deafFor(TEN + 21 * MINUTE_MS)).not.toBeNull();
  });

  it("reports no silence after two days only, or for a number without steady traffic", () => {
    const { watch } = start();
    days(watch, 0, 2);
    untilTen(watch);
    expect(watch.deafFor(TEN + 5 * HOUR_MS)).toBeNull();
    const seldom = start();
    days(seldom.watch, 0, 3);
    for (let at = TEN - HOUR_MS; at <= TEN; at += 15 * MINUTE_MS) seldom.watch.arrived(at);
    expect(seldom.watch.deafFor(TEN + 5 * HOUR_MS)).toBeNull();
  });

  it("takes a silence as normal from then on if no message waited in it and it was not cut short", () => {
    const { watch, row } = start();
    days(watch, 0, 3);
    untilTen(watch);
    const cut = (at: number) => {
      expect(watch.deafFor(at)).not.toBeNull();
      watch.closed(at);
      watch.opened(at + 2_000);
    };
    cut(TEN + 11 * MINUTE_MS);
    // The message had been waiting, so the connection was deaf.
    watch.arrived(TEN + 11 * MINUTE_MS + 3_000);
    expect(watch.deafFor(TEN + 22 * MINUTE_MS)).not.toBeNull();
    // The message was sent later, so the number was just quiet.
    for (let at = TEN + 40 * MINUTE_MS; at <= TEN + 70 * MINUTE_MS; at += 4 * MINUTE_MS) watch.arrived(at);
    const next = start(row());
    untilTen(next.watch);
    expect(next.watch.deafFor(TEN + 40 * MINUTE_MS)).toBeNull();
    expect(next.watch.deafFor(TEN + 60 * MINUTE_MS)).not.toBeNull();
  });

  it("keeps the past across processes", () => {
    const { watch, row } = start();
    days(watch, 0, 3);
    const next = start(row());
    untilTen(next.watch);
    expect(next.watch.deafFor(TEN + 11 * MINUTE_MS)).not.toBeNull();
  });
});
