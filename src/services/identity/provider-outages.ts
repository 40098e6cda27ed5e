// The identity library answers 401 or 500 when D1 is away, without the cause. These functions find the cause again.
import { AsyncLocalStorage } from "node:async_hooks";
import { isDatabaseAway } from "../../db/outages.ts";

/** The outage of D1 that the current work met, if any. */
const outages = new AsyncLocalStorage<{ met: unknown }>();

/** Throws D1's error if the work met an outage, whatever the library made of it. The work may have had its effect. */
export async function throughOutages<T>(work: () => Promise<T>): Promise<T> {
  const outage = { met: null as unknown };
  const [result] = await Promise.allSettled([outages.run(outage, work)]);
  if (outage.met !== null) throw outage.met;
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

/** Notes the outages that the methods of the library's database adapter meet. */
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
