/**
 * Asks until the answer is neither false, null nor undefined; fails with `what` after `withinMs`, which leaves room for a machine
 * five times slower: at least a minute. Where the time is what is promised: `within`.
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

/** The same where the time is part of what the product promises. */
export function within<T>(what: string, ms: number, ask: () => T | Promise<T>): Promise<Exclude<T, false | null | undefined>> {
  return eventually(what, ms, ask);
}
