// Hourly counters of a connection (docs/use/statistics.md, "What is counted"). A missing name counts as zero.
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";

export type Counts = Record<string, number>;

export const hourOf = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS;
export const dayOf = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

export function addTo(counts: Counts, name: string, amount: number): void {
  const sum = (counts[name] ?? 0) + amount;
  if (sum === 0) delete counts[name];
  else counts[name] = sum;
}

export function countsBy(counts: Counts, what: string): Record<string, number> {
  const prefix = `${what}.`;
  const entries = Object.entries(counts).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(entries.map(([name, count]) => [name.slice(prefix.length), count]));
}

export function totalOf(counts: Counts, what: string): number {
  return Object.values(countsBy(counts, what)).reduce((sum, count) => sum + count, 0);
}

/** Upper bounds of the buckets (ms). An attempt counts in the first bucket that it fits. Receivers have at most 30 s to respond. */
const LATENCY_STEPS_MS = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 7_000, 10_000, 15_000, 20_000,
  30_000,
];

export function latencyStep(latencyMs: number): number {
  return LATENCY_STEPS_MS.find((step) => latencyMs <= step) ?? 30_000;
}

export function latencyWithin(counts: Counts, share: number): number | null {
  const bySteps = countsBy(counts, "latency");
  let missing = share * totalOf(counts, "latency");
  if (missing === 0) return null;
  for (const step of LATENCY_STEPS_MS) {
    missing -= bySteps[step] ?? 0;
    if (missing <= 1e-9) return step;
  }
  return LATENCY_STEPS_MS.at(-1) ?? null;
}

/** Counts the change and the remaining time of its hour and day, so that unchanged hours need no entry. */
export function connectionChange(connected: boolean, at: number): Counts {
  const what = connected ? "connected" : "disconnected";
  return { [what]: 1, [`${what}.hour_ms`]: hourOf(at) + HOUR_MS - at, [`${what}.day_ms`]: dayOf(at) + DAY_MS - at };
}

export function netConnected(counts: Counts): number {
  return (counts["connected"] ?? 0) - (counts["disconnected"] ?? 0);
}

/** Connected time (ms) from the start of an hour or day until `end`. `atEnd` is the number of connections connected at that time. */
export function connectedMs(counts: Counts, unit: "hour" | "day", begin: number, end: number, atEnd: number): number {
  const changes = netConnected(counts);
  const beyond = begin + (unit === "hour" ? HOUR_MS : DAY_MS) - end;
  const left = (counts[`connected.${unit}_ms`] ?? 0) - (counts[`disconnected.${unit}_ms`] ?? 0);
  return (atEnd - changes) * (end - begin) + left - changes * beyond;
}
