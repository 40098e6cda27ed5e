// Spreads the reading of long bodies over time, so that other calls are served in between (docs/internals/requests.md, "Request bodies").

export type Clock = { now(): number; wait(ms: number): Promise<unknown> };

let lastAt = 0;
let setBackMs = 0;

/** A monotonic `Date.now()`, because waits must not grow when the clock is set back. */
function steadyNow(): number {
  const now = Date.now();
  setBackMs += Math.max(0, lastAt - now);
  lastAt = now;
  return now + setBackMs;
}

export const REAL_CLOCK: Clock = { now: steadyNow, wait: (ms) => scheduler.wait(ms) };

export class Pace {
  readonly #bytesPerMs: number;
  readonly #clock: Clock;
  /** When the rate limit permits the next read. Each admitted byte postpones it. */
  #freeAt = 0;

  constructor(bytesPerMs: number, clock: Clock = REAL_CLOCK) {
    this.#bytesPerMs = bytesPerMs;
    this.#clock = clock;
  }

  /** Resolves when this many bytes may be read. Waiters are served in order of arrival. */
  async keep(bytes: number): Promise<void> {
    const now = this.#clock.now();
    const at = Math.max(now, this.#freeAt);
    this.#freeAt = at + bytes / this.#bytesPerMs;
    if (at > now) await this.#clock.wait(at - now);
  }
}
