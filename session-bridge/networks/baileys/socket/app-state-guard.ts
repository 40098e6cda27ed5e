// Ends Baileys' endless app-state sync. When the network does not answer, a timed-out query returns `undefined`, which Baileys takes for
// "no changes yet" (docs/durability.md, "Defects of the libraries"), and queries again for ever, under the session's one lock. Its loop
// reads a collection's version at each turn; a second read a whole query timeout later, with nothing written in between, fails here.
import { AsyncLocalStorage } from "node:async_hooks";
import type { SignalKeyStoreWithTransaction } from "baileys";
import { QUERY_TIMEOUT_MS } from "./socket-config.ts";

const VERSION = "app-state-sync-version";
/** Timers may fire slightly early. */
const TIMER_SLACK_MS = 250;

export class AppStateUnanswered extends Error {
  override name = "AppStateUnanswered";
  /** Tells `failureOfError` that the network did not answer. */
  readonly output = { statusCode: 408 };
}

/** `unanswered` gets the collections that still have to be synced. */
export function guardAppStateSync(
  keys: SignalKeyStoreWithTransaction,
  unanswered: (collections: string[]) => void,
  timeoutMs = QUERY_TIMEOUT_MS,
): void {
  const get = keys.get.bind(keys);
  const set = keys.set.bind(keys);
  const transaction = keys.transaction.bind(keys);
  /** When each collection was last read in the current transaction. */
  const reads = new AsyncLocalStorage<Map<string, number>>();

  keys.transaction = (work, key) => (keys.isInTransaction() ? transaction(work, key) : transaction(() => reads.run(new Map(), work), key));

  const checkProgress = (ids: readonly string[], readAt: Map<string, number>): void => {
    const now = performance.now();
    const stuck = ids.filter((id) => now - (readAt.get(id) ?? now) >= timeoutMs - TIMER_SLACK_MS);
    if (stuck.length > 0) {
      unanswered([...readAt.keys()]);
      throw new AppStateUnanswered(`no answer for ${stuck.join(", ")}`);
    }
    for (const id of ids) readAt.set(id, now);
  };

  keys.get = (type, ids) => {
    const readAt = reads.getStore();
    if (type === VERSION && readAt !== undefined && keys.isInTransaction()) checkProgress(ids, readAt);
    return get(type, ids);
  };

  keys.set = (data) => {
    for (const id of Object.keys(data[VERSION] ?? {})) reads.getStore()?.delete(id);
    return set(data);
  };
}
