// Ignores the caller's sampling decision, because callers could flood the collector (docs/operate/tracing.md, "Traces").

/** Limit per process or isolate, regardless of the ratio. */
const MAX_TRACES_PER_SECOND = 20;

export class Sampler {
  readonly #ratio: number;
  readonly #random: () => number;
  #left = MAX_TRACES_PER_SECOND;
  #refilledAt = 0;

  constructor(ratio: number, random: () => number = Math.random) {
    this.#ratio = ratio;
    this.#random = random;
  }

  takes(now: number): boolean {
    if (this.#random() >= this.#ratio) return false;
    const elapsedMs = Math.max(0, now - this.#refilledAt);
    this.#left = Math.min(MAX_TRACES_PER_SECOND, this.#left + (elapsedMs * MAX_TRACES_PER_SECOND) / 1_000);
    this.#refilledAt = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
