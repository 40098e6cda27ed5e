/** Exponential backoff up to `capMs` for attempt 1, 2, …, plus up to 20 % jitter. */
export function backoffMs(attempt: number, firstMs: number, capMs: number, random: () => number = Math.random): number {
  const delay = Math.min(capMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(delay * (1 + random() / 5));
}
