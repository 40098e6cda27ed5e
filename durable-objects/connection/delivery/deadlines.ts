type Deadline = { at: number; onExpired: () => void };

/** Times are on a scale that ignores steps of the clock. Otherwise, a step could end attempts early or postpone their timeouts. */
export class Deadlines {
  readonly #clock: () => number;
  readonly #pending = new Set<Deadline>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #timerAt = Number.POSITIVE_INFINITY;
  #time = 0;
  #clockAt: number;

  constructor(clock: () => number) {
    this.#clock = clock;
    this.#clockAt = clock();
  }

  /** Calls `onExpired` after `ms`, unless the returned function is called first. */
  after(ms: number, onExpired: () => void): () => void {
    const deadline = { at: this.#now() + ms, onExpired };
    this.#pending.add(deadline);
    if (deadline.at < this.#timerAt) this.#set(deadline.at, ms);
    return () => {
      this.#pending.delete(deadline);
      if (this.#pending.size === 0) this.#clear();
    };
  }

  /** At most the running timer's time. If the clock was set back, exactly that, because a deadline may be late but not early. */
  #now(): number {
    const clock = this.#clock();
    const unknown = this.#timer === null ? 0 : Number.POSITIVE_INFINITY;
    this.#time = Math.min(this.#time + (clock < this.#clockAt ? unknown : clock - this.#clockAt), this.#timerAt);
    this.#clockAt = clock;
    return this.#time;
  }

  #set(at: number, ms: number): void {
    this.#clear();
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#expire(), ms);
  }

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #expire(): void {
    const now = (this.#time = this.#timerAt);
    this.#clockAt = this.#clock();
    this.#clear();
    for (const deadline of this.#pending) {
      if (deadline.at > now) continue;
      this.#pending.delete(deadline);
      deadline.onExpired();
    }
    const next = Math.min(...[...this.#pending].map(({ at }) => at));
    if (next !== Number.POSITIVE_INFINITY) this.#set(next, next - now);
  }
}
