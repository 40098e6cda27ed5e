type LossLimits = {
  windowMs: number;
  /** Below this number or this share of all sockets, losses count as unrelated. */
  least: number;
  share: number;
  eachMs: number;
  atMostMs: number;
};

/** Spreads reconnects after losses with a common cause. The delay grows with their number. A single loss has no delay. */
export class LossSpread {
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

  /** Returns a random delay within the window for all lost sockets. `left` is the number of sockets still connected. */
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
