// A storm's load on its target: the busiest second compared with the mean.

export type Rates = { count: number; busiest: number; mean: number; ratio: number; seconds: number };

/** Rates of events at these times (Unix ms), between the first and last second, or over `overMs` if given. */
export function ratesOf(times: readonly number[], overMs?: number): Rates {
  const seconds = new Map<number, number>();
  for (const time of times) {
    const second = Math.floor(time / 1000);
    seconds.set(second, (seconds.get(second) ?? 0) + 1);
  }
  let [first, last, busiest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const [second, count] of seconds) {
    first = Math.min(first, second);
    last = Math.max(last, second);
    busiest = Math.max(busiest, count);
  }
  const span = overMs === undefined ? Math.max(1, last - first + 1) : overMs / 1000;
  const mean = times.length / span;
  return { count: times.length, busiest, mean, ratio: mean === 0 ? 0 : busiest / mean, seconds: span };
}

/** Prints the figures of one storm in readable form (docs/internals/scale.md, "How to write a scale test"). */
export function report(what: string, figures: Readonly<Record<string, number | string>>): void {
  const words = Object.entries(figures).map(
    ([name, value]) => `${name} ${typeof value === "number" ? Number(value.toPrecision(4)) : value}`,
  );
  console.log(`scale: ${what}: ${words.join(", ")}`);
}
