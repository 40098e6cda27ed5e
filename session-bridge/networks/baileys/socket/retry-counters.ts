import type { CacheStore } from "baileys";
import { boundedCache } from "../session/bounded-cache.ts";

const MAX_COUNTERS = 2_000;
const TTL_MS = 3_600_000;

/** Counts resends to devices that could not decrypt a message, across the session's sockets. */
export function createRetryCounters(): CacheStore {
  const counters = boundedCache<string, NonNullable<unknown>>(MAX_COUNTERS, TTL_MS);
  return {
    // Baileys reads back what it wrote, under its own type.
    get: (key) => counters.get(key) as never,
    set: (key, value) => void counters.set(key, value as NonNullable<unknown>),
    del: (key) => void counters.delete(key),
    flushAll: () => counters.clear(),
  };
}
