// Errors of D1 that pass by themselves (https://developers.cloudflare.com/d1/observability/debug-d1/). Query builder and identity library
// wrap them as causes.

/** D1 was reset, moved, unreachable or busy. */
const PASSING =
  /reset because its code was updated|caused object to be reset|Network connection lost|Replica disconnected from primary|Cannot resolve D1\b|because client disconnected|D1 DB is overloaded/;

/** A statement exceeded a limit, and the reset ended all others. Repeating that statement would end them again. */
const EXHAUSTED = /exceeded its (?:memory|CPU time) limit and was reset/;

function isOrHasCause(error: unknown, texts: readonly RegExp[]): boolean {
  if (!(error instanceof Error)) return false;
  // The message of a failed query lists its values, which customers choose.
  const isQuery = "params" in error;
  return (!isQuery && texts.some((text) => text.test(error.message))) || isOrHasCause(error.cause, texts);
}

export function isDatabaseAway(error: unknown): boolean {
  return isOrHasCause(error, [PASSING, EXHAUSTED]);
}

const DELAYS_MS = [50, 200, 500] as const;

/**
 * Repeats a write, because D1 itself repeats only reads. D1 may have carried out a write that failed, so use this only for a write that
 * has the same effect and result when it runs twice.
 */
export async function retriedWrite<T>(write: () => PromiseLike<T>): Promise<T> {
  for (const delayMs of DELAYS_MS) {
    try {
      return await write();
    } catch (error) {
      if (!isOrHasCause(error, [PASSING])) throw error;
    }
    // At a random time, so that callers that failed together do not return together.
    await new Promise((resolve) => setTimeout(resolve, delayMs * (0.5 + Math.random() / 2)));
  }
  return write();
}
