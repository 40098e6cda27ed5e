// Answers of reads, cached for 10 seconds (docs/admission.md, "Read cache"). Every change of the connection's state
// clears the cache, so that a caller always reads its own change.
import { LIMITS } from "../../../src/domain/limits.ts";
import type { Outcome } from "../../../src/protocol/failures.ts";

type CachedAnswer = { answer: Promise<Outcome<string>>; at: number };

/** Bounds memory: with more distinct reads than this within ten seconds the cache is emptied. */
const MAX_ENTRIES = 500;

export class ReadCache {
  #entries = new Map<string, CachedAnswer>();

  /**
   * The answer of `read`, from the cache if it is younger than 10 seconds; then `age` (whole seconds) is set. Concurrent
   * misses share one call. Failures are not cached.
   */
  async get(name: string, now: number, read: () => Promise<Outcome<string>>): Promise<{ outcome: Outcome<string>; age?: number }> {
    const cached = this.#entries.get(name);
    if (cached !== undefined && now - cached.at < LIMITS.readCacheMs) {
      return { outcome: await cached.answer, age: Math.floor((now - cached.at) / 1000) };
    }
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
    const fresh: CachedAnswer = { answer: read(), at: now };
    this.#entries.set(name, fresh);
    const outcome = await fresh.answer;
    if (!outcome.ok && this.#entries.get(name) === fresh) this.#entries.delete(name);
    return { outcome };
  }

  clear(): void {
    if (this.#entries.size > 0) this.#entries = new Map();
  }
}
