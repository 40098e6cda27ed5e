import { LIMITS } from "@gateway/domain/limits.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";

type CachedRead = { result: Promise<Outcome<string>>; at: number };
type CacheLookup = { outcome: Outcome<string>; age?: number };
type Read = { name: string; asksNetwork: boolean };

/** Limits memory use. The cache is emptied if it gets more than this many distinct reads within ten seconds. */
const MAX_ENTRIES = 500;

export class ReadCache {
  #stored = new Map<string, CachedRead>();
  #network = new Map<string, CachedRead>();

  /** Caches results for 10 seconds. A hit has an `age`. Concurrent misses share one call. Failures are not cached. */
  async get({ name, asksNetwork }: Read, now: number, read: () => Promise<Outcome<string>>): Promise<CacheLookup> {
    const entries = asksNetwork ? this.#network : this.#stored;
    const cached = entries.get(name);
    // A future `at` was stored before the clock was set back, so it is treated as expired.
    if (cached !== undefined && cached.at <= now && now - cached.at < LIMITS.readCacheMs) {
      return { outcome: await cached.result, age: Math.floor((now - cached.at) / 1000) };
    }
    if (entries.size >= MAX_ENTRIES) entries.clear();
    const fresh: CachedRead = { result: read(), at: now };
    entries.set(name, fresh);
    let keep = false;
    try {
      const outcome = await fresh.result;
      keep = outcome.ok;
      return { outcome };
    } finally {
      if (!keep && entries.get(name) === fresh) entries.delete(name);
    }
  }

  /** Replaces the map, so that the result of a read that is still running is not cached. */
  dropStored(): void {
    if (this.#stored.size > 0) this.#stored = new Map();
  }

  clear(): void {
    this.dropStored();
    if (this.#network.size > 0) this.#network = new Map();
  }
}
