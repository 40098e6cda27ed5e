import { LRUCache } from "lru-cache";

/**
 * An LRU cache: everything a session remembers is bounded (docs/internals/durability.md, "Configuration of Baileys"). Sizes instead of
 * `max`, which makes lru-cache preallocate: 51 MB instead of 2 MB for the empty caches of 150 sessions.
 */
export function boundedCache<K extends string, V extends NonNullable<unknown>>(maxEntries: number, ttlMs = 0): LRUCache<K, V> {
  return new LRUCache<K, V>({ maxSize: maxEntries, sizeCalculation: () => 1, ttl: ttlMs });
}
