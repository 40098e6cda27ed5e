type Deadline = { at: number; onExpired: () => void };

export class Deadlines {
  readonly #clock: () => number;
  readonly #pending = new Set<Deadline>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Calls `onExpired` after `ms`, unless the returned function is called first. */
  after(ms: number, onExpired: () => void): () => void {
    const deadline = { at: this.#clock() + ms, onExpired };
    this.#pending.add(deadline);
    if (deadline.at < this.#timerAt) this.#set(deadline.at, ms);
    return () => {
      this.#pending.delete(deadline);
      if (this.#pending.size === 0) this.#clear();
    };
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

  /** Runs when the timer fires. The time for which the timer was set (`#timerAt`) has then passed, even if the clock lags behind. */
  #expire(): void {
    const now = Math.max(this.#clock(), this.#timerAt);
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
