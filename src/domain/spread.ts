// Times of their own for the connections: what each of them does once an hour or once a day must not fall on one second for all, nor what
// all of them find overdue after an outage of the platform.

/** The first time on the grid that is not before `at` (Unix ms). */
export type Grid = (at: number) => number;

/** A grid of one time per period, which is the connection's own: moved by a hash of its UUID. */
export function gridOf(uuid: string, periodMs: number): Grid {
  const offset = offsetOf(uuid, periodMs);
  return (at) => Math.ceil((at - offset) / periodMs) * periodMs + offset;
}

/** The first 32 bits of a random UUID. A name that is none has no time of its own. */
function offsetOf(uuid: string, periodMs: number): number {
  return Number.parseInt(uuid.slice(0, 8), 16) % periodMs || 0;
}

/** What is so late was held up by an outage, and so was that of all other connections. */
const LATE_MS = 60_000;
/** All of them are to have begun with it after so long. */
const CATCH_UP_MS = 60_000;

/**
 * When a connection begins with what it finds overdue: at a moment of its own within the next minute. Only what nobody waits for is asked
 * of it. What is due later, or but a little late, is not held up. Times in Unix ms.
 */
export class CatchUp {
  readonly #offsetMs: number;
  #before = 0;
  #from = 0;

  /** `now`: when the connection's object has started. */
  constructor(uuid: string, now: number) {
    this.#offsetMs = offsetOf(uuid, CATCH_UP_MS);
    this.#begin(now);
  }

  /** The alarm that was expected at `at` has rung. */
  rang(at: number, now: number): void {
    if (at < now - LATE_MS) this.#begin(now);
  }

  /** When it begins with what is overdue. */
  get from(): number {
    return this.#from;
  }

  /** What was due before is overdue, and has to wait; 0: nothing has to. */
  waitsBefore(now: number): number {
    return now < this.#from ? this.#before : 0;
  }

  /** When work that is due at `due` may begin. */
  notBefore(due: number): number {
    return due < this.#before ? Math.max(due, this.#from) : due;
  }

  /** Somebody waits for it after all. */
  end(): void {
    this.#from = 0;
  }

  #begin(now: number): void {
    this.#before = now - LATE_MS;
    this.#from = now + this.#offsetMs;
  }
}
