import type { CacheStore } from "baileys";
import { boundedCache } from "../session/bounded-cache.ts";

const MAX_COUNTERS = 2_000;
const TTL_MS = 3_600_000;

/** How often a message was sent again to a device that could not decrypt it. Kept across the sockets of a session. */
export function createRetryCounters(): CacheStore {
  const counters = boundedCache<string, NonNullable<unknown>>(MAX_COUNTERS, TTL_MS);
  return {
    // Baileys reads back what it wrote, and names its type.
    get: (key) => counters.get(key) as never,
    set: (key, value) => void counters.set(key, value as NonNullable<unknown>),
    del: (key) => void counters.delete(key),
    flushAll: () => counters.clear(),
  };
}
