// Spreads the work of all connections over time: what each does once an hour or once a day, and what all find overdue after an outage.

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

/** Work this late was held up by an outage, like that of every other connection. */
const LATE_MS = 60_000;
/** All connections have begun with their late work after this time. */
const CATCH_UP_MS = 60_000;

/** A time that survives the object's memory (Unix ms); null: there is none. */
export type StoredTime = { get(): number | null; set(at: number): void };

/**
 * Spreads late work after an outage: a connection begins with it at a moment of its own within a minute. Work that is due later, or only a
 * little late, is not held up. The moment depends only on the UUID and on the stored time at which the delay was found, because the object may
 * be evicted before it comes: the next instance must not choose a later one. Times in Unix ms.
 */
export class CatchUp {
  readonly #found: StoredTime;
  readonly #grid: Grid;
  /** Work that became due after this instance started is not late, however long it has to wait. */
  #startedAt: number;
  /** When late work was found; undefined: this instance has met none. */
  #foundAt: number | undefined;

  /** `now`: when this instance of the object started. `found`: when late work was last found. */
  constructor(uuid: string, now: number, found: StoredTime) {
    this.#found = found;
    this.#grid = gridOf(uuid, CATCH_UP_MS);
    this.#startedAt = now;
  }

  /** When work that is due at `due` may begin. */
  notBefore(due: number): number {
    if (due >= this.#startedAt - LATE_MS) return due;
    this.#foundAt ??= this.#foundEarlier();
    if (this.#foundAt === undefined || due >= this.#foundAt - LATE_MS) {
      this.#foundAt = this.#startedAt;
      this.#found.set(this.#foundAt);
    }
    return Math.max(due, this.#grid(this.#foundAt));
  }

  /** Work that was due before this time has to wait; 0: none has to. */
  waitsBefore(now: number): number {
    return this.#foundAt !== undefined && now < this.#grid(this.#foundAt) ? this.#foundAt - LATE_MS : 0;
  }

  /** Nothing is late because of this. */
  clockSetBack(now: number): void {
    this.#startedAt = Math.min(this.#startedAt, now);
    this.#foundAt = undefined;
  }

  /** Somebody is waiting for the late work: none of it is held up by this instance. */
  end(): void {
    this.#startedAt = Number.NEGATIVE_INFINITY;
    this.#foundAt = undefined;
  }

  /** A time in the future is from before the clock was set back. */
  #foundEarlier(): number | undefined {
    const at = this.#found.get();
    return at === null || at > this.#startedAt ? undefined : at;
  }
}
