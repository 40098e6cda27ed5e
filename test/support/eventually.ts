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

const TRIES = 3;

/** The best of three tries keeps to the limit, because the machine does other things meanwhile. `measure`: milliseconds of a try, from 0. */
export async function bestOfThree(what: string, limitMs: number, measure: (attempt: number) => Promise<number>): Promise<void> {
  const took: string[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const ms = await measure(attempt);
    took.push(`${ms.toFixed(0)} ms`);
    console.info(`${what}: ${took.at(-1)}`);
    if (ms <= limitMs) return;
  }
  throw new Error(`${what}: ${took.join(", ")}, but at most ${limitMs.toFixed(0)} ms was promised`);
}
