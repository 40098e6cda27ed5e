// Generates load for a given time. On a shared machine, two loads can be compared only if they run equally long.
import { type Load, median, percentile } from "./figures.ts";

export type TimedLoad = Load & { calls: number };

/** Calls `act` for `ms` milliseconds, `concurrency` at a time. Throws if a call throws. */
export async function loadFor(ms: number, concurrency: number, act: () => Promise<unknown>): Promise<TimedLoad> {
  const latencies: number[] = [];
  const startedAt = performance.now();
  const worker = async () => {
    for (let at = performance.now(); at - startedAt < ms; at = performance.now()) {
      await act();
      latencies.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return {
    calls: latencies.length,
    rate: (latencies.length / (performance.now() - startedAt)) * 1_000,
    p50: median(latencies),
    p99: percentile(latencies, 99),
  };
}
