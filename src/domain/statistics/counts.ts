// What a connection counts, by hour (docs/use/statistics.md, "What is counted"). A name without an entry counts zero.
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";

/** `<what>` or `<what>.<of which>`, and how many. */
export type Counts = Record<string, number>;

export const hourOf = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS;
export const dayOf = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

/** Changes `counts`; a name that comes to zero leaves it. */
export function addTo(counts: Counts, name: string, amount: number): void {
  const sum = (counts[name] ?? 0) + amount;
  if (sum === 0) delete counts[name];
  else counts[name] = sum;
}

/** The counts named `<what>.<of which>`, by what stands after the dot. */
export function countsBy(counts: Counts, what: string): Record<string, number> {
  const prefix = `${what}.`;
  const entries = Object.entries(counts).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(entries.map(([name, count]) => [name.slice(prefix.length), count]));
}

export function totalOf(counts: Counts, what: string): number {
  return Object.values(countsBy(counts, what)).reduce((sum, count) => sum + count, 0);
}

/** Attempts are counted by the first of these that their time does not exceed (ms). A receiver has at most 30 s. */
const LATENCY_STEPS_MS = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 7_000, 10_000, 15_000, 20_000,
  30_000,
];

export function latencyStep(latencyMs: number): number {
  return LATENCY_STEPS_MS.find((step) => latencyMs <= step) ?? 30_000;
}

/** The step that this share (0 to 1) of the attempts in `latency.<step>` did not exceed, in ms; null without an attempt. */
export function latencyWithin(counts: Counts, share: number): number | null {
  const bySteps = countsBy(counts, "latency");
  let missing = share * totalOf(counts, "latency");
  if (missing === 0) return null;
  for (const step of LATENCY_STEPS_MS) {
    missing -= bySteps[step] ?? 0;
    // Sums of shares are not exact in binary.
    if (missing <= 1e-9) return step;
  }
  return LATENCY_STEPS_MS.at(-1) ?? null;
}

/**
 * What a change to connected or from it counts. With each, how much of its hour and of its day was left: so the connected time of an
 * hour in which nothing changed needs no entry.
 */
export function connectionChange(connected: boolean, at: number): Counts {
  const what = connected ? "connected" : "disconnected";
  return { [what]: 1, [`${what}.hour_ms`]: hourOf(at) + HOUR_MS - at, [`${what}.day_ms`]: dayOf(at) + DAY_MS - at };
}

/** How many more connections are connected at the end of a time than at its beginning. */
export function netConnected(counts: Counts): number {
  return (counts["connected"] ?? 0) - (counts["disconnected"] ?? 0);
}

/**
 * Connected time (ms) from the beginning of an hour or day until `end`, which is its end or earlier. `atEnd`: how many connections are
 * connected then.
 */
export function connectedMs(counts: Counts, unit: "hour" | "day", begin: number, end: number, atEnd: number): number {
  const changes = netConnected(counts);
  const beyond = begin + (unit === "hour" ? HOUR_MS : DAY_MS) - end;
  const left = (counts[`connected.${unit}_ms`] ?? 0) - (counts[`disconnected.${unit}_ms`] ?? 0);
  return (atEnd - changes) * (end - begin) + left - changes * beyond;
}
