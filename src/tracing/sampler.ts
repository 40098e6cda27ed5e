// Which traces are recorded. Only this decides: whether a caller has recorded its own part says nothing here, because whoever may ask
// for a trace could fill the collector (docs/operate/tracing.md, "Traces").

/** At most so many new traces a second in one process or isolate, whatever the ratio. */
const MAX_TRACES_PER_SECOND = 20;

export class Sampler {
  readonly #ratio: number;
  readonly #random: () => number;
  #left = MAX_TRACES_PER_SECOND;
  #refilledAt = 0;

  /** `ratio`: 0 to 1. `random`: 0 to 1, as Math.random. */
  constructor(ratio: number, random: () => number = Math.random) {
    this.#ratio = ratio;
    this.#random = random;
  }

  /** `now` in Unix ms. */
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
