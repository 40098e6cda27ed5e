import { type Grid, gridOf, type StoredTime } from "./spread.ts";

/** Work that is overdue by more than this was delayed by an outage, which also delayed the work of all other connections. */
const LATE_MS = 60_000;
const CATCH_UP_MS = 60_000;

/** Spreads late work over a minute after an outage. The time depends on stored values, so an eviction does not postpone it. */
export class CatchUp {
  readonly #found: StoredTime;
  readonly #grid: Grid;
  /** Work that became due after this instance started is not treated as late. */
  #startedAt: number;
  #foundAt: number | undefined;

  constructor(uuid: string, now: number, found: StoredTime) {
    this.#found = found;
    this.#grid = gridOf(uuid, CATCH_UP_MS);
    this.#startedAt = now;
  }

  notBefore(due: number): number {
    if (due >= this.#startedAt - LATE_MS) return due;
    this.#foundAt ??= this.#foundEarlier();
    if (this.#foundAt === undefined || due >= this.#foundAt - LATE_MS) {
      this.#foundAt = this.#startedAt;
      this.#found.set(this.#foundAt);
    }
    return Math.max(due, this.#grid(this.#foundAt));
  }

  /** Work that was due before this time must wait. 0 means that nothing has to wait. */
  waitsBefore(now: number): number {
    return this.#foundAt !== undefined && now < this.#grid(this.#foundAt) ? this.#foundAt - LATE_MS : 0;
  }

  /** After the clock is set back, no work is treated as late. */
  clockSetBack(now: number): void {
    this.#startedAt = Math.min(this.#startedAt, now);
    this.#foundAt = undefined;
  }

  /** Stops delaying work in this instance, because a caller is waiting. */
  end(): void {
    this.#startedAt = Number.NEGATIVE_INFINITY;
    this.#foundAt = undefined;
  }

  /** Ignores a time in the future. Such a time was stored before the clock was set back. */
  #foundEarlier(): number | undefined {
    const at = this.#found.get();
    return at === null || at > this.#startedAt ? undefined : at;
  }
}
