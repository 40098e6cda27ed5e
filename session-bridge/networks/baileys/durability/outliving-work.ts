// Lets work that outlives its key transaction use the store directly. Otherwise, its later writes would be lost and tokens sent again.
import { AsyncLocalStorage } from "node:async_hooks";
import type { SignalKeyStoreWithTransaction } from "baileys";

/** Call it once per key store, before other hooks and outside any transaction. */
export function letWorkOutliveTransactions(keys: SignalKeyStoreWithTransaction): void {
  const get = keys.get.bind(keys);
  const set = keys.set.bind(keys);
  const transaction = keys.transaction.bind(keys);
  const isInTransaction = keys.isInTransaction.bind(keys);
  const current = new AsyncLocalStorage<{ ended: boolean }>();
  const outside = AsyncLocalStorage.snapshot();
  const inContext = <T>(work: () => T): T => (current.getStore()?.ended === true ? outside(work) : work());

  const tracked = async <T>(work: () => Promise<T>): Promise<T> => {
    const own = { ended: false };
    try {
      return await current.run(own, work);
    } finally {
      own.ended = true;
    }
  };
  keys.get = (type, ids) => inContext(() => get(type, ids));
  keys.set = (data) => inContext(() => set(data));
  keys.isInTransaction = () => inContext(() => isInTransaction());
  keys.transaction = (work, key) => inContext(() => transaction(() => (current.getStore() === undefined ? tracked(work) : work()), key));
}
