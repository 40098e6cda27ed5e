/** Exponential backoff up to `capMs` for attempt 1, 2, …, plus up to 20 % jitter. */
export function backoffMs(attempt: number, firstMs: number, capMs: number, random: () => number = Math.random): number {
  const delay = Math.min(capMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(delay * (1 + random() / 5));
}

/**
 * Spreads out reconnects after losses with a common cause. The delay grows with the number of simultaneous losses, and a single loss has no
 * delay.
 */
export type LossLimits = {
  windowMs: number;
  /** If fewer sockets than this, or a smaller share of all sockets, are lost, the losses count as unrelated. */
  least: number;
  share: number;
  eachMs: number;
  atMostMs: number;
};

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

// Counts the process's open network sockets. After many losses, reconnects are spread over up to half a minute, at five a second.

export class OpenSockets {
  #open = 0;
  readonly #together: LossSpread;

  constructor(random?: () => number) {
    this.#together = new LossSpread({ windowMs: 5_000, least: 10, share: 0.2, eachMs: 200, atMostMs: 30_000 }, random);
  }

  opened(): void {
    this.#open += 1;
  }

  closed(): void {
    this.#open -= 1;
  }

  /** Call it after `closed`, for a socket that was open. */
  lost(now: number): void {
    this.#together.lost(now);
  }

  waitMs(now: number): number {
    return this.#together.waitMs(now, this.#open);
  }
}
