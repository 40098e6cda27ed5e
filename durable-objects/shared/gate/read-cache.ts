// Answers of reads, cached for at most 10 seconds and dropped as soon as what they show may have changed (docs/internals/admission.md, "Read
// cache").
import { LIMITS } from "@gateway/domain/limits.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";

type CachedAnswer = { answer: Promise<Outcome<string>>; at: number };
type CacheAnswer = { outcome: Outcome<string>; age?: number };

/** `name`: what is read. `asksNetwork`: the network answers, not what the object stores. */
export type Read = { name: string; asksNetwork: boolean };

/** Bounds memory: with more distinct reads than this within ten seconds the cache is emptied. */
const MAX_ENTRIES = 500;

export class ReadCache {
  #stored = new Map<string, CachedAnswer>();
  #network = new Map<string, CachedAnswer>();

  /**
   * The answer of `read`, from the cache if it is younger than 10 seconds; then `age` (whole seconds) is set. Concurrent
   * misses share one call. Failures are not cached.
   */
  async get({ name, asksNetwork }: Read, now: number, read: () => Promise<Outcome<string>>): Promise<CacheAnswer> {
    const entries = asksNetwork ? this.#network : this.#stored;
    const cached = entries.get(name);
    // An answer from the future was cached before the clock was set back.
    if (cached !== undefined && cached.at <= now && now - cached.at < LIMITS.readCacheMs) {
      return { outcome: await cached.answer, age: Math.floor((now - cached.at) / 1000) };
    }
    if (entries.size >= MAX_ENTRIES) entries.clear();
    const fresh: CachedAnswer = { answer: read(), at: now };
    entries.set(name, fresh);
    const outcome = await fresh.answer;
    if (!outcome.ok && entries.get(name) === fresh) entries.delete(name);
    return { outcome };
  }

  /** A read that is still running when its answer is dropped is cached no more. */
  dropStored(): void {
    if (this.#stored.size > 0) this.#stored = new Map();
  }

  clear(): void {
    this.dropStored();
    if (this.#network.size > 0) this.#network = new Map();
  }
}
