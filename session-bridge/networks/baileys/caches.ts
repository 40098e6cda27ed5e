import type { CacheStore } from "baileys";
import { Lru } from "../../lru.ts";

/** What Baileys takes as a cache: in memory, bounded, and kept across the sockets of a session. */
export class MemoryCache implements CacheStore {
  readonly #entries: Lru<unknown>;

  constructor(limit: number, lifetimeMs: number) {
    this.#entries = new Lru(limit, lifetimeMs);
  }

  get<T>(key: string): T | undefined {
    return this.#entries.get(key) as T | undefined;
  }

  set<T>(key: string, value: T): void {
    this.#entries.set(key, value);
  }

  del(key: string): void {
    this.#entries.delete(key);
  }

  flushAll(): void {
    this.#entries.clear();
  }
}

const HOUR_MS = 3_600_000;

/**
 * Which devices a person has. Baileys would forget after five minutes, and each time it asks again it also fetches a prekey bundle and
 * throws the session away (`assertSessions(…, true)`): the contact loses a one-time prekey, and our messages are first messages again.
 * Changes are notified, so the lists may live long.
 */
export const createDeviceLists = (): MemoryCache => new MemoryCache(5_000, 24 * HOUR_MS);

/** How often a message has been sent again to somebody who could not read it. */
export const createRetryCounters = (): MemoryCache => new MemoryCache(2_000, HOUR_MS);
