// Answers of reads, kept for 10 seconds (interface, Surface B limits: "Read cache"). Whatever changes the connection's state
// forgets them all, so nobody reads what he has just changed away.
import { LIMITS } from "../../../src/domain/limits.ts";
import type { Outcome } from "../../../src/protocol/failures.ts";

type Kept = { answer: Promise<Outcome<string>>; at: number };

/** Bounds memory: more distinct reads than this within ten seconds simply start afresh. */
const MOST = 500;

export class ReadCache {
  #kept = new Map<string, Kept>();

  /**
   * The answer of `read`, from the cache when it is younger than 10 seconds: then `age` (whole seconds) is set. Concurrent
   * misses share one call. Failures are not kept.
   */
  async get(name: string, now: number, read: () => Promise<Outcome<string>>): Promise<{ outcome: Outcome<string>; age?: number }> {
    const kept = this.#kept.get(name);
    if (kept !== undefined && now - kept.at < LIMITS.readCacheMs) {
      return { outcome: await kept.answer, age: Math.floor((now - kept.at) / 1000) };
    }
    if (this.#kept.size >= MOST) this.#kept.clear();
    const fresh: Kept = { answer: read(), at: now };
    this.#kept.set(name, fresh);
    const outcome = await fresh.answer;
    if (!outcome.ok && this.#kept.get(name) === fresh) this.#kept.delete(name);
    return { outcome };
  }

  clear(): void {
    if (this.#kept.size > 0) this.#kept = new Map();
  }
}
