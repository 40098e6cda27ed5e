import { addTo, connectedMs, type Counts, countsBy, dayOf, hourOf, latencyWithin, netConnected, totalOf } from "./counts.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

export type Unit = "hour" | "day";

export type CountedTime = { at: number; counts: Counts };

export function wholeSpan(unit: Unit, from: number, to: number): { from: number; to: number } {
  const [begin, length] = unit === "hour" ? [hourOf, HOUR_MS] : [dayOf, DAY_MS];
  return { from: begin(from), to: begin(to - 1) + length };
}

export type Point = { at: number; counts: Counts; connectedMinutes: number };

/** Oldest first, from all rows since `span.from`. Connected time is computed backwards, because only changes are stored. */
export function seriesOf(
  unit: Unit,
  span: { from: number; to: number },
  rows: readonly CountedTime[],
  connected: number,
  now: number,
): Point[] {
  const length = unit === "hour" ? HOUR_MS : DAY_MS;
  const byTime = new Map(rows.map(({ at, counts }) => [at, counts]));
  let atEnd = connected - rows.filter(({ at }) => at >= span.to).reduce((sum, { counts }) => sum + netConnected(counts), 0);
  const points: Point[] = [];
  for (let at = span.to - length; at >= span.from; at -= length) {
    if (at > now) continue;
    const counts = byTime.get(at) ?? {};
    const time = connectedMs(counts, unit, at, Math.min(at + length, now), atEnd);
    points.push({ at, counts, connectedMinutes: Math.max(0, Math.round(time / MINUTE_MS)) });
    atEnd -= netConnected(counts);
  }
  return points.reverse();
}

export function numbersOf(counts: Counts) {
  const [sent, received, failed] = [countsBy(counts, "sent"), countsBy(counts, "received"), countsBy(counts, "failed")];
  const types = [...new Set([sent, received, failed].flatMap(Object.keys))].sort();
  const count = (name: string): number => counts[name] ?? 0;
  return {
    messages: {
      sent: totalOf(counts, "sent"),
      received: totalOf(counts, "received"),
      failed: totalOf(counts, "failed"),
      byType: Object.fromEntries(
        types.map((type) => [type, { sent: sent[type] ?? 0, received: received[type] ?? 0, failed: failed[type] ?? 0 }]),
      ),
    },
    webhooks: {
      deliveries: count("deliveries"),
      attempts: count("attempts"),
      delivered: count("delivered"),
      failed: count("given_up"),
      disabled: count("disabled"),
      p50Ms: latencyWithin(counts, 0.5),
      p95Ms: latencyWithin(counts, 0.95),
    },
    errors: countsBy(counts, "error"),
  };
}

export function sumOf(all: readonly Counts[]): Counts {
  const sum: Counts = {};
  for (const counts of all) for (const [name, count] of Object.entries(counts)) addTo(sum, name, count);
  return sum;
}
