/** A longer poll counts as this long: the processor was busy elsewhere, also for what the test waits for. */
const LONGEST_POLL_MS = 100;

/**
 * Polls until the result is not false, null or undefined; fails with `what` after `withinMs`, which must suit a machine five times slower:
 * at least a minute. The limit stretches while other processes take the processor. To enforce a promised time, use `within`.
 */
export function eventually<T>(what: string, withinMs: number, ask: () => T | Promise<T>): Promise<Found<T>> {
  return poll(what, withinMs, ask, LONGEST_POLL_MS);
}

/** Like `eventually`, for a time limit that the product promises. */
export function within<T>(what: string, ms: number, ask: () => T | Promise<T>): Promise<Found<T>> {
  return poll(what, ms, ask, Infinity);
}

type Found<T> = Exclude<T, false | null | undefined>;

async function poll<T>(what: string, withinMs: number, ask: () => T | Promise<T>, longestMs: number): Promise<Found<T>> {
  let waited = 0;
  for (let from = performance.now(); ;) {
    const answer = await ask();
    if (answer !== false && answer !== null && answer !== undefined) return answer as Found<T>;
    if (waited > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const now = performance.now();
    waited += Math.min(now - from, longestMs);
    from = now;
  }
}
