// Work on many items with bounded concurrency: each call of an object is a subrequest of ours.

export function* batchesOf<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/**
 * The results in the order of the items; at most `size` calls run at a time. An item that fails keeps none of the others from running: the
 * first failure is thrown when all have run.
 */
export async function mapInBatches<T, R>(items: readonly T[], size: number, run: (item: T) => Promise<R>): Promise<R[]> {
  const settled: PromiseSettledResult<R>[] = [];
  for (const batch of batchesOf(items, size)) settled.push(...(await Promise.allSettled(batch.map(run))));
  return settled.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
}

/** At most `limit` calls run at a time, and the next one begins as soon as one has ended: one that is slow keeps none of the others waiting. */
export async function mapAtMost<T, R>(limit: number, items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  // All of them take from one list.
  const runner = async (): Promise<void> => {
    for (const [place, item] of waiting) results[place] = await run(item);
  };
  await Promise.all(Array.from({ length: limit }, runner));
  return results;
}
