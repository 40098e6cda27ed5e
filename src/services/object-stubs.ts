import { isDatabaseAway } from "../db/outages.ts";

/** The interface of an object class. Namespaces in `src/env.ts` are untyped, so that only the entry imports classes. */
export type ServerOf<Stub extends Record<keyof Stub, (...args: never[]) => Promise<unknown>>> = {
  [Method in keyof Stub]: (...args: Parameters<Stub[Method]>) => Awaited<ReturnType<Stub[Method]>> | ReturnType<Stub[Method]>;
};

export type RuntimeErrorFlag = "overloaded" | "retryable" | "durableObjectReset";

export function hasFlag(error: unknown, mark: RuntimeErrorFlag): boolean {
  return typeof error === "object" && error !== null && (error as Record<string, unknown>)[mark] === true;
}

/** The error returned during a deploy while the object still runs the previous release. */
const MISSING_METHOD = /^The RPC receiver does not implement /;

export function isTransientError(error: unknown): boolean {
  if (error instanceof Error && MISSING_METHOD.test(error.message)) return true;
  return hasFlag(error, "overloaded") || hasFlag(error, "retryable") || hasFlag(error, "durableObjectReset");
}

/** Retries once if the object was moved or restarted. `call` must create a new stub, because a failed stub does not recover. */
export async function retried<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isTransientError(error)) throw error;
    return call();
  }
}

/** Nothing can be stored. The platform resets an object whose writes fail, and callers see only an internal error. */
const STORAGE_FAILURE = /SQLITE_(FULL|IOERR|READONLY)|database or disk is full|^internal error; reference = /;

export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return STORAGE_FAILURE.test(error.message) || isStorageFailure(error.cause);
}

/** `unavailable` means that a retry may succeed. */
export function failureOfException(error: unknown): "unavailable" | "internal_error" {
  return isTransientError(error) || isStorageFailure(error) || isDatabaseAway(error) ? "unavailable" : "internal_error";
}

/** Throws if the result takes too long, so that other callers do not wait for an unresponsive object. */
export async function inTime<T>(answer: PromiseLike<T>, withinMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("no answer in time")), withinMs);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}
