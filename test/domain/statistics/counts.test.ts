import { describe, expect, it } from "vitest";
import { connectedMs, connectionChange, type Counts, latencyStep, latencyWithin } from "@gateway/domain/statistics/counts.ts";
import { numbersOf, seriesOf, sumOf, wholeSpan } from "@gateway/domain/statistics/report.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

const DAY = Date.UTC(2026, 10, 20);
const at = (hour: number, minute = 0) => DAY + hour * HOUR_MS + minute * MINUTE_MS;

describe("latencies", () => {
  const counted = (...all: number[]): Counts => sumOf(all.map((ms) => ({ [`latency.${latencyStep(ms)}`]: 1 })));

  it("are rounded up to the next step, and to at most 30 seconds", () => {
    expect([0, 1, 2, 4, 5, 6, 101, 150, 29_000, 30_000, 31_000].map(latencyStep)).toEqual([
      1, 1, 2, 5, 5, 7, 150, 150, 30_000, 30_000, 30_000,
    ]);
  });

  it("are reported as the step that half of them, or 95 of 100, did not exceed", () => {
    const hundred = counted(...Array.from({ length: 100 }, (_, n) => (n < 50 ? 10 : n < 95 ? 200 : 5_000)));
    expect([latencyWithin(hundred, 0.5), latencyWithin(hundred, 0.95), latencyWithin(hundred, 1)]).toEqual([10, 200, 5_000]);
    expect(latencyWithin(counted(10, 10, 20), 0.5)).toBe(10);
    expect(latencyWithin(counted(10, 20), 0.5)).toBe(10);
    expect(latencyWithin(counted(10, 20, 20), 0.5)).toBe(20);
    expect(latencyWithin(counted(7), 0.95)).toBe(7);
  });

  it("are not reported without any count", () => expect(latencyWithin({}, 0.5)).toBeNull());
});

describe("connected time", () => {
  it("is computed from changes alone, in the hour and in the day", () => {
    const counts = sumOf([connectionChange(true, at(10, 15)), connectionChange(false, at(10, 45))]);
    expect(connectedMs(counts, "hour", at(10), at(11), 0)).toBe(30 * MINUTE_MS);
    expect(connectedMs(counts, "day", DAY, DAY + DAY_MS, 0)).toBe(30 * MINUTE_MS);
  });

  it("continues until now if it has not ended", () => {
    expect(connectedMs(connectionChange(true, at(10, 15)), "hour", at(10), at(10, 40), 1)).toBe(25 * MINUTE_MS);
    expect(connectedMs({}, "hour", at(11), at(11, 10), 3)).toBe(30 * MINUTE_MS);
  });

  it("is given to hours in which nothing was counted, and to none before", () => {
    const rows = [
      { at: at(9), counts: connectionChange(true, at(9, 30)) },
      { at: at(13), counts: connectionChange(false, at(13, 20)) },
      { at: at(15), counts: connectionChange(true, at(15, 50)) },
    ];
    const minutes = (from: number, to: number) =>
      seriesOf(
        "hour",
        { from: at(from), to: at(to) },
        rows.filter((row) => row.at >= at(from)),
        1,
        at(17),
      ).map((point) => point.connectedMinutes);
    expect(minutes(8, 17)).toEqual([0, 30, 60, 60, 60, 20, 0, 10, 60]);
    // Changes after the span count as well.
    expect(minutes(9, 12)).toEqual([30, 60, 60]);
    expect(seriesOf("hour", { from: at(9), to: at(12) }, rows.slice(0, 2), 0, at(14)).map((point) => point.connectedMinutes)).toEqual([
      30, 60, 60,
    ]);
    const day = [{ at: DAY, counts: sumOf(rows.map(({ counts }) => counts)) }];
    expect(seriesOf("day", { from: DAY, to: DAY + DAY_MS }, day, 1, at(17)).map((point) => point.connectedMinutes)).toEqual([300]);
    expect(seriesOf("day", { from: DAY, to: DAY + 2 * DAY_MS }, day, 1, at(36)).map((point) => point.connectedMinutes)).toEqual([720, 720]);
  });
});

describe("a report", () => {
  it("covers whole UTC hours and days, and nothing in the future", () => {
    expect(wholeSpan("hour", at(9, 59), at(11))).toEqual({ from: at(9), to: at(11) });
    expect(wholeSpan("hour", at(9), at(11, 1))).toEqual({ from: at(9), to: at(12) });
    expect(wholeSpan("day", at(23, 59), at(24, 1))).toEqual({ from: DAY, to: DAY + 2 * DAY_MS });
    expect(seriesOf("hour", { from: at(9), to: at(12) }, [], 0, at(10, 30)).map((point) => point.at)).toEqual([at(9), at(10)]);
  });

  it("sums up", () => {
    const numbers = numbersOf(
      sumOf([
        { "sent.text": 2, "failed.image": 1, "error.unavailable": 1, deliveries: 3 },
        { "sent.text": 1, "received.text": 4 },
      ]),
    );
    expect(numbers.messages).toEqual({
      sent: 3,
      received: 4,
      failed: 1,
      byType: { image: { sent: 0, received: 0, failed: 1 }, text: { sent: 3, received: 4, failed: 0 } },
    });
    expect(numbers.webhooks).toMatchObject({ deliveries: 3, delivered: 0, p50Ms: null });
    expect(numbers.errors).toEqual({ unavailable: 1 });
  });
});
