import { LRUCache } from "lru-cache";

/**
 * Everything a session remembers is bounded (docs/internals/baileys.md, "Configuration of Baileys"). Entries are counted as sizes because `max`
 * makes lru-cache allocate for all of them at once: 51 MB for the empty caches of 150 sessions instead of 2 MB (measured).
 */
export function boundedCache<K extends string, V extends NonNullable<unknown>>(maxEntries: number, ttlMs = 0): LRUCache<K, V> {
  return new LRUCache<K, V>({ maxSize: maxEntries, sizeCalculation: () => 1, ttl: ttlMs });
}
