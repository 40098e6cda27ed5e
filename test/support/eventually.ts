/**
 * Polls until the result is not false, null or undefined; fails with `what` after `withinMs`, which must suit a machine five times slower:
 * at least a minute. To enforce a promised time, use `within`.
 */
export async function eventually<T>(
  what: string,
  withinMs: number,
  ask: () => T | Promise<T>,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== null && answer !== undefined) return answer as Exclude<T, false | null | undefined>;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Like `eventually`, for a time limit that the product promises. */
export function within<T>(what: string, ms: number, ask: () => T | Promise<T>): Promise<Exclude<T, false | null | undefined>> {
  return eventually(what, ms, ask);
}
