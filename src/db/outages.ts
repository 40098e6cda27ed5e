// Recognizes transient D1 errors, which the query builder and the identity library attach as the cause of their own errors.

/** D1 was reset, moved, unreachable or busy. If D1 cannot store anything, it reports an internal error. */
const PASSING =
  /reset because its code was updated|caused object to be reset|Network connection lost|Replica disconnected from primary|Cannot resolve D1\b|because client disconnected|D1 DB is overloaded|internal error; reference = /;

/** A statement exceeded a limit, and the resulting reset interrupted all other statements. Repeating it would cause another reset. */
const EXHAUSTED = /exceeded its (?:memory|CPU time) limit and was reset/;

function isOrHasCause(error: unknown, texts: readonly RegExp[]): boolean {
  if (!(error instanceof Error)) return false;
  // The message of a failed query contains values from customers, so this checks only its cause.
  const isQuery = "params" in error;
  return (!isQuery && texts.some((text) => text.test(error.message))) || isOrHasCause(error.cause, texts);
}

export function isDatabaseAway(error: unknown): boolean {
  return isOrHasCause(error, [PASSING, EXHAUSTED]);
}

const DELAYS_MS = [50, 200, 500] as const;

/** Only for writes that may run twice. D1 may have applied a write that failed, so D1 itself retries only reads. */
export async function retriedWrite<T>(write: () => PromiseLike<T>): Promise<T> {
  for (const delayMs of DELAYS_MS) {
    try {
      return await write();
    } catch (error) {
      if (!isOrHasCause(error, [PASSING])) throw error;
    }
    // Adds jitter, so that callers that failed together do not retry together.
    await new Promise((resolve) => setTimeout(resolve, delayMs * (0.5 + Math.random() / 2)));
  }
  return write();
}
