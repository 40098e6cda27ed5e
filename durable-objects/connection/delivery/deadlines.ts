// The timeouts of all attempts under way, on one timer. A timer each would cost more than the signature does, and one left
// behind would keep the object from hibernating.

type Deadline = { at: number; pass: () => void };

export class Deadlines {
  readonly #clock: () => number;
  readonly #pending = new Set<Deadline>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Calls `pass` in so many ms, unless what it answers is called before. */
  after(ms: number, pass: () => void): () => void {
    const deadline = { at: this.#clock() + ms, pass };
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
    this.#timer = setTimeout(() => this.#pass(), ms);
  }

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  /** The timer was set for `#timerAt`; whatever the clock says by now, that moment has come. */
  #pass(): void {
    const now = Math.max(this.#clock(), this.#timerAt);
    this.#clear();
    for (const deadline of this.#pending) {
      if (deadline.at > now) continue;
      this.#pending.delete(deadline);
      deadline.pass();
    }
    const next = Math.min(...[...this.#pending].map(({ at }) => at));
    if (next !== Number.POSITIVE_INFINITY) this.#set(next, next - now);
  }
}
