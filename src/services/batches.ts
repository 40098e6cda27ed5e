// Limits concurrency, because each call to an object is a subrequest.

export function* batchesOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Runs `size` at a time, and returns the results in order. A failure does not stop the others. The first failure is thrown at the end. */
export async function mapInBatches<T, R>(items: readonly T[], size: number, run: (item: T) => Promise<R>): Promise<R[]> {
  const settled: PromiseSettledResult<R>[] = [];
  for (const batch of batchesOf(items, size)) settled.push(...(await Promise.allSettled(batch.map(run))));
  return settled.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
}

export async function mapAtMost<T, R>(items: readonly T[], limit: number, run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const runner = async (): Promise<void> => {
    for (const [place, item] of waiting) results[place] = await run(item);
  };
  await Promise.all(Array.from({ length: limit }, runner));
  return results;
}
