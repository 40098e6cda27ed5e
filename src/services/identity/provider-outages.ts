// If D1 is unavailable, the identity library returns 401 or 500 without the cause. These functions recover the cause.
import { AsyncLocalStorage } from "node:async_hooks";
import { isDatabaseAway } from "../../db/outages.ts";

/** The D1 outage that occurred during the current work, if there was one. */
const outages = new AsyncLocalStorage<{ met: unknown }>();

/** If D1 caused a failure, throws D1's error, whatever the library returned. The write may still have gone through. */
export async function throughOutages<T>(work: () => Promise<T>): Promise<T> {
  const outage = { met: null as unknown };
  const [result] = await Promise.allSettled([outages.run(outage, work)]);
  if (outage.met !== null) throw outage.met;
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

/** Records D1 outages that occur in the methods of the library's database adapter. */
export function noting<A extends object>(adapter: A): A {
  const get = (target: A, name: string | symbol): unknown => {
    const value: unknown = Reflect.get(target, name);
    if (typeof value !== "function") return value;
    return async (...args: unknown[]): Promise<unknown> => {
      try {
        return (await Reflect.apply(value, target, args)) as unknown;
      } catch (error) {
        const outage = outages.getStore();
        if (outage !== undefined && isDatabaseAway(error)) outage.met ??= error;
        throw error;
      }
    };
  };
  return new Proxy(adapter, { get });
}
