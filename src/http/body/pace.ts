// Spreads the reading of long bodies over time, so that other calls are served between two pieces, however many bodies there are
// (docs/internals/requests.md, "Request bodies").

export type Clock = { now(): number; wait(ms: number): Promise<unknown> };

let lastAt = 0;
let setBackMs = 0;

/** `Date.now()`, but never less than before: whoever waits must not wait longer because the clock was set back. */
function steadyNow(): number {
  const now = Date.now();
  setBackMs += Math.max(0, lastAt - now);
  lastAt = now;
  return now + setBackMs;
}

export const REAL_CLOCK: Clock = { now: steadyNow, wait: (ms) => scheduler.wait(ms) };

/** Of one isolate. */
export class Pace {
  readonly #bytesPerMs: number;
  readonly #clock: Clock;
  /** When everything let through so far is paid for. */
  #freeAt = 0;

  constructor(bytesPerMs: number, clock: Clock = REAL_CLOCK) {
    this.#bytesPerMs = bytesPerMs;
    this.#clock = clock;
  }

  /** Resolves when so many bytes may be read, after everybody who asked before. */
  async keep(bytes: number): Promise<void> {
    const now = this.#clock.now();
    const at = Math.max(now, this.#freeAt);
    this.#freeAt = at + bytes / this.#bytesPerMs;
    if (at > now) await this.#clock.wait(at - now);
  }
}
