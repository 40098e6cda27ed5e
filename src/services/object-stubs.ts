// What stubs of objects have in common.

/**
 * What an object class implements of its stub, as `Connection implements ServerOf<ConnectionStub>`: the same methods, which may also
 * answer synchronously. Namespaces in `src/env.ts` are untyped, so that no module imports an object's class but the worker's entry.
 */
export type ServerOf<Stub extends Record<keyof Stub, (...args: never[]) => Promise<unknown>>> = {
  [Method in keyof Stub]: (...args: Parameters<Stub[Method]>) => Awaited<ReturnType<Stub[Method]>> | ReturnType<Stub[Method]>;
};

export type RuntimeErrorFlag = "overloaded" | "retryable" | "durableObjectReset";

export function hasFlag(error: unknown, mark: RuntimeErrorFlag): boolean {
  return typeof error === "object" && error !== null && (error as Record<string, unknown>)[mark] === true;
}

/** While a release is deployed: the object is still of the one before. */
const MISSING_METHOD = /^The RPC receiver does not implement /;

/** The object was overloaded, moved or restarted, or is about to be replaced: a retry will succeed. */
export function isTransientError(error: unknown): boolean {
  if (error instanceof Error && MISSING_METHOD.test(error.message)) return true;
  return hasFlag(error, "overloaded") || hasFlag(error, "retryable") || hasFlag(error, "durableObjectReset");
}

/** Asks a second time when the object was moved or restarted. A stub that failed once stays broken, so `call` makes a new one. */
export async function retried<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isTransientError(error)) throw error;
    return call();
  }
}

/**
 * The platform could not store something: the disk or the quota is full. An object whose writes fail is broken off, and all that its
 * callers see is an internal error of the platform.
 */
const STORAGE_FAILURE = /SQLITE_(FULL|IOERR)|database or disk is full|^internal error; reference = /;

/** Also when it is the cause of another error, as of a failed query. */
export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return STORAGE_FAILURE.test(error.message) || isStorageFailure(error.cause);
}

/** What an exception means to whoever made the request: a retry may succeed, or it is a defect. */
export function failureOfException(error: unknown): "unavailable" | "internal_error" {
  return isTransientError(error) || isStorageFailure(error) ? "unavailable" : "internal_error";
}
