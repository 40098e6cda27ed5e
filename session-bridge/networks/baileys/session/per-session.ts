// In-memory state of a session that outlives its sockets. Each module declares its own.
import type { NetworkSession } from "./session-context.ts";
import { LRUCache } from "lru-cache";

/** Bounded by total size, because `max` preallocates memory: 51 MB instead of 2 MB for the empty caches of 150 sessions. */
export function boundedCache<K extends string, V extends NonNullable<unknown>>(maxEntries: number, ttlMs = 0): LRUCache<K, V> {
  return new LRUCache<K, V>({ maxSize: maxEntries, sizeCalculation: () => 1, ttl: ttlMs });
}

export type PerSession<T> = {
  (session: NetworkSession): T;
  replace(session: NetworkSession, value: T): void;
};

export function perSession<T>(create: (session: NetworkSession) => T): PerSession<T> {
  const values = new WeakMap<NetworkSession, T>();
  const find = (session: NetworkSession): T => {
    const known = values.get(session);
    if (known !== undefined) return known;
    const created = create(session);
    values.set(session, created);
    return created;
  };
  return Object.assign(find, { replace: (session: NetworkSession, value: T) => void values.set(session, value) });
}
