// Exact sliding window log. It accepts a request at t only if it has accepted fewer than `limit` in (t - windowMs, t].

export type Verdict = { accepted: true } | { accepted: false; retryAfterMs: number };

export class SlidingWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #ring: number[] = [];
  #next = 0;
  /** Time of the last call. It moves back if the clock is set back. */
  #latest = Number.NEGATIVE_INFINITY;

  constructor(limit: number, windowMs: number, times: readonly number[] = []) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    for (const time of times.slice(-limit)) this.#remember(time);
  }

  accept(now: number): Verdict {
    if (this.#limit === Number.POSITIVE_INFINITY) return { accepted: true };
    this.#stepBackTo(now);
    this.#latest = now;
    if (this.#ring.length >= this.#limit) {
      const oldest = this.#ring[this.#next] ?? Number.NEGATIVE_INFINITY;
      if (now - oldest < this.#windowMs) return { accepted: false, retryAfterMs: oldest + this.#windowMs - now };
    }
    this.#remember(now);
    return { accepted: true };
  }

  /** `used` counts the requests in the window that ends at `now`. `resetMs` is the time until the oldest of them leaves the window. */
  state(now: number): { used: number; resetMs: number } {
    this.#stepBackTo(now);
    const size = this.#ring.length;
    const left = this.#leftBy(now);
    return { used: size - left, resetMs: left === size ? 0 : this.#at(left) + this.#windowMs - now };
  }

  times(): number[] {
    return this.#ring.length < this.#limit ? [...this.#ring] : [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
  }

  get latest(): number {
    return this.#latest;
  }

  #leftBy(now: number): number {
    let [low, high] = [0, this.#ring.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (now - this.#at(middle) < this.#windowMs) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #at(n: number): number {
    return this.#ring[(this.#next + n) % this.#ring.length] ?? Number.NEGATIVE_INFINITY;
  }

  /** If the clock is set back, recorded times move back too, as if no time had passed since the last call. */
  #stepBackTo(now: number): void {
    if (now >= this.#latest) return;
    const backMs = this.#latest - now;
    for (let n = 0; n < this.#ring.length; n += 1) this.#ring[n] = (this.#ring[n] ?? 0) - backMs;
    this.#latest = now;
  }

  #remember(at: number): void {
    this.#latest = at;
    if (this.#ring.length < this.#limit) {
      this.#ring.push(at);
      return;
    }
    this.#ring[this.#next] = at;
    this.#next = (this.#next + 1) % this.#limit;
  }
}

export function retryAfterSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
