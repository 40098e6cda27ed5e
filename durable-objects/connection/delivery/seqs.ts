// Where deliveries stand in the order of their seqs, which grow with time. No index finds them by lane or by how they ended, because its
// entries would be a row more for each of them: they are searched in slices, and between two slices the object does its other work.

/** Of one slice: some milliseconds. */
export const SLICE_SEQS = 20_000;

/** Lets the object's other events have their turn. */
export const pause = (): Promise<void> => scheduler.wait(0);

export function endsOf(sql: SqlStorage): { first: number; afterLast: number } {
  // Both of one table in one SELECT would be a search of all of it.
  const { first, last } = sql
    .exec<{ first: number | null; last: number | null }>(
      "SELECT (SELECT min(seq) FROM delivery) AS first, (SELECT max(seq) FROM delivery) AS last",
    )
    .one();
  return { first: first ?? 0, afterLast: (last ?? -1) + 1 };
}

/** The first seq of the deliveries that were stored at `at` (Unix ms) or later. */
export function firstSeqFrom(sql: SqlStorage, at: number): number {
  let { first: low, afterLast: high } = endsOf(sql);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = sql
      .exec<{ seq: number; created_at: number }>("SELECT seq, created_at FROM delivery WHERE seq >= ? ORDER BY seq LIMIT 1", middle)
      .toArray()[0];
    if (row === undefined || row.created_at >= at) high = middle;
    else low = row.seq + 1;
  }
  return low;
}
