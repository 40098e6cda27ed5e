/**
 * Things that are lost within a moment of each other were lost by one cause: a deploy, an outage of the network. They come back spread over
 * a time that grows with their number; one that was lost alone comes back at once.
 */
export type LossLimits = {
  /** Losses this far apart belong together. */
  windowMs: number;
  /** Fewer than so many, or than this share of all, is not one loss of all. */
  least: number;
  share: number;
  /** The time that they are spread over, for each, and at most. */
  eachMs: number;
  atMostMs: number;
};

export class LostTogether {
  readonly #limits: LossLimits;
  readonly #random: () => number;
  #times: number[] = [];

  constructor(limits: LossLimits, random: () => number = Math.random) {
    this.#limits = limits;
    this.#random = random;
  }

  /** One was lost at `now`; any clock in milliseconds. */
  lost(now: number): void {
    this.#forget(now);
    this.#times.push(now);
  }

  /** How long one that was just lost is to wait: a part at random of the time for all of them. `left`: how many were not lost. */
  waitMs(now: number, left: number): number {
    this.#forget(now);
    const { least, share, eachMs, atMostMs } = this.#limits;
    const lost = this.#times.length;
    if (lost < least || lost < share * (lost + left)) return 0;
    return Math.round(this.#random() * Math.min(atMostMs, lost * eachMs));
  }

  #forget(now: number): void {
    const { windowMs } = this.#limits;
    const first = this.#times.findIndex((at) => now - at <= windowMs);
    if (first !== 0) this.#times = first === -1 ? [] : this.#times.slice(first);
  }
}
