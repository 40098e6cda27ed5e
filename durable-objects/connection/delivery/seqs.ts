// Search by seq, which grows with time. An index by lane or result would cost a row per entry, so search runs in slices.

export const SLICE_SEQS = 20_000;

export const pause = (): Promise<void> => scheduler.wait(0);

export function endsOf(sql: SqlStorage): { first: number; afterLast: number } {
  // Two subqueries, because SQLite would scan the table for min and max in one plain SELECT.
  const { first, last } = sql
    .exec<{ first: number | null; last: number | null }>(
      "SELECT (SELECT min(seq) FROM delivery) AS first, (SELECT max(seq) FROM delivery) AS last",
    )
    .one();
  return { first: first ?? 0, afterLast: (last ?? -1) + 1 };
}

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
