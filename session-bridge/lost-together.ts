/**
 * Spreads reconnects after a common cause such as a deploy or a network outage. Losses close in time count together, and the delay grows
 * with their number; a single loss reconnects at once.
 */
export type LossLimits = {
  windowMs: number;
  /** Below this number or this share of all, losses are treated as unrelated. */
  least: number;
  share: number;
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

  lost(now: number): void {
    this.#forget(now);
    this.#times.push(now);
  }

  /** A random delay for one that was just lost, within the spread for all of them. `left`: how many are still connected. */
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
