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
