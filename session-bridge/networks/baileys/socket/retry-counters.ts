import type { CacheStore } from "baileys";
import { Lru } from "../../../lru.ts";
import { HOUR_MS } from "../../../../src/protocol/units.ts";

/** What Baileys takes as a cache: in memory, bounded, and kept across the sockets of a session. */
export class MemoryCache implements CacheStore {
  readonly #entries: Lru<unknown>;

  constructor(limit: number, lifetimeMs: number) {
    this.#entries = new Lru(limit, lifetimeMs);
  }

  // Baileys puts in what it takes out, and says of what type it is.
  readonly get: CacheStore["get"] = (key) => this.#entries.get(key) as never;
  readonly set: CacheStore["set"] = (key, value) => this.#entries.set(key, value);

  del(key: string): void {
    this.#entries.delete(key);
  }

  flushAll(): void {
    this.#entries.clear();
  }
}

/** How often a message has been sent again to somebody who could not read it. */
export const createRetryCounters = (): MemoryCache => new MemoryCache(2_000, HOUR_MS);
