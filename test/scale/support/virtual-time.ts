// Simulated time, advanced only by events: a storm of hours over 10⁵ connections takes a second of real time.

type Planned = { at: number; order: number; happen: () => void };

/** Unix ms; a Monday, 00:00 UTC. */
export const START = Date.UTC(2035, 0, 1);

export class VirtualTime {
  now: number;
  #order = 0;
  /** A binary heap: earliest first, then in order of scheduling. */
  readonly #planned: Planned[] = [];

  constructor(now = START) {
    this.now = now;
  }

  at(at: number, happen: () => void): void {
    this.#planned.push({ at: Math.max(at, this.now), order: this.#order++, happen });
    this.#up(this.#planned.length - 1);
  }

  after(ms: number, happen: () => void): void {
    this.at(this.now + ms, happen);
  }

  /** Runs all events up to this time, including those scheduled meanwhile. */
  runUntil(at: number): void {
    for (let next = this.#planned[0]; next !== undefined && next.at <= at; next = this.#planned[0]) {
      this.#dropFirst();
      this.now = next.at;
      next.happen();
    }
    this.now = Math.max(this.now, at);
  }

  /** Runs until no event is left. */
  runOut(): void {
    for (let next = this.#planned[0]; next !== undefined; next = this.#planned[0]) this.runUntil(next.at);
  }

  #dropFirst(): void {
    const last = this.#planned.pop();
    if (last === undefined || this.#planned.length === 0) return;
    this.#planned[0] = last;
    this.#down();
  }

  #up(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #down(): void {
    for (let at = 0; ;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) if (child < this.#planned.length && this.#isBefore(child, least)) least = child;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#planned[one], this.#planned[other]] as [Planned, Planned];
    return a.at === b.at ? a.order < b.order : a.at < b.at;
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#planned[one], this.#planned[other]] as [Planned, Planned];
    this.#planned[one] = b;
    this.#planned[other] = a;
  }
}
