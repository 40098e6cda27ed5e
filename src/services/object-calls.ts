// Calls to objects: their interface, one retry, and a time limit.
import { isTransientError } from "./exceptions.ts";

/** The interface of an object class. Namespaces in `src/env.ts` are untyped, so that only the entry imports classes. */
export type ServerOf<Stub extends Record<keyof Stub, (...args: never[]) => Promise<unknown>>> = {
  [Method in keyof Stub]: (...args: Parameters<Stub[Method]>) => Awaited<ReturnType<Stub[Method]>> | ReturnType<Stub[Method]>;
};

/** Retries once if the object was moved or restarted. `call` must create a new stub, because a failed stub does not recover. */
export async function retried<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isTransientError(error)) throw error;
    return call();
  }
}

/** Throws if the result takes too long, so that other callers do not wait for an unresponsive object. */
export async function inTime<T>(result: PromiseLike<T>, withinMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("no answer in time")), withinMs);
  try {
    return await Promise.race([result, promise]);
  } finally {
    clearTimeout(timer);
  }
}
