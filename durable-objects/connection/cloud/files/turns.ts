// Turns of transfers to and from Meta: few at once, and not too many begun within a second.

const SECOND_MS = 1_000;

export class Turns {
  readonly #atOnce: number;
  readonly #gapMs: number;
  #running = 0;
  #nextAt = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number, perSecond = Number.POSITIVE_INFINITY) {
    this.#atOnce = atOnce;
    this.#gapMs = SECOND_MS / perSecond;
  }

  get isFree(): boolean {
    return this.#running < this.#atOnce;
  }

  /** First come, first served. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFree) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      await this.#untilAllowed();
      return await work();
    } finally {
      // The next one takes the turn over.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  async #untilAllowed(): Promise<void> {
    const now = Date.now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + this.#gapMs;
    if (at > now) await new Promise((resolve) => setTimeout(resolve, at - now));
  }
}
