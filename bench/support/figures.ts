// Computes and prints percentiles and ratios. The machine's speed varies, so only ratios within a run are meaningful.

export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((p / 100) * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 50);

export type Load = { rate: number; p50: number; p99: number };

/** A load without any result for this long has stalled. */
const STALL_TIMEOUT_MS = 30_000;

/** Calls `act` `total` times, `concurrency` at a time; rate per second, latencies in ms. Throws if a call throws or the load stalls. */
export async function load(total: number, concurrency: number, act: (n: number) => Promise<unknown>): Promise<Load> {
  const latencies: number[] = [];
  let next = 0;
  const startedAt = performance.now();
  const worker = async () => {
    while (next < total) {
      const n = next;
      next += 1;
      const at = performance.now();
      await act(n);
      latencies.push(performance.now() - at);
    }
  };
  const stalled = Promise.withResolvers<never>();
  let lastCount = -1;
  const watch = setInterval(() => {
    if (latencies.length === lastCount)
      stalled.reject(new Error(`nothing came back for ${STALL_TIMEOUT_MS} ms, after ${lastCount} of ${total}`));
    lastCount = latencies.length;
  }, STALL_TIMEOUT_MS);
  await Promise.race([Promise.all(Array.from({ length: concurrency }, worker)), stalled.promise]).finally(() => clearInterval(watch));
  return { rate: (total / (performance.now() - startedAt)) * 1_000, p50: median(latencies), p99: percentile(latencies, 99) };
}

/** `rate` and `p50` are the gateway's values divided by the baseline's, as medians of the rounds' ratios. */
export type Compared = { ours: Load; baseline: Load; rate: number; p50: number };

/**
 * Runs both in turn, `rounds` times, and returns the medians of each side. Many short rounds tolerate a busy machine, because it usually
 * slows both sides of a round. The side that begins alternates, so that a machine that becomes slower favours neither.
 */
export async function runInTurn(rounds: number, ours: () => Promise<Load>, baseline: () => Promise<Load>): Promise<Compared> {
  const runs: { ours: Load; baseline: Load }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0 ? null : await ours();
    const beside = await baseline();
    runs.push({ ours: first ?? (await ours()), baseline: beside });
  }
  const ratioOf = (name: "rate" | "p50") => median(runs.map((run) => run.ours[name] / run.baseline[name]));
  return {
    ours: middle(runs.map((run) => run.ours)),
    baseline: middle(runs.map((run) => run.baseline)),
    rate: ratioOf("rate"),
    p50: ratioOf("p50"),
  };
}

function middle(runs: readonly Load[]): Load {
  const medianOf = (name: keyof Load) => median(runs.map((run) => run[name]));
  return { rate: medianOf("rate"), p50: medianOf("p50"), p99: medianOf("p99") };
}

export function print(name: string, { ours, baseline, rate, p50 }: Compared): void {
  const show = (load: Load) => `${load.rate.toFixed(0).padStart(6)}/s  p50 ${load.p50.toFixed(2)} ms  p99 ${load.p99.toFixed(2)} ms`;
  process.stdout.write(`${name}\n  gateway   ${show(ours)}\n  baseline  ${show(baseline)}\n`);
  process.stdout.write(`  ratio     rate ${rate.toFixed(2)}  p50 ${p50.toFixed(2)}\n`);
}
