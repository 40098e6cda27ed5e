export type Way = "in" | "out";

/** The share for outgoing files. A send can be repeated, but a received file is lost if there is no space for it. */
const OUTGOING_SHARE = 0.5;

export class SpoolQuota {
  limitBytes: number;
  readonly #used: Record<Way, number> = { in: 0, out: 0 };

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get usedBytes(): number {
    return this.#used.in + this.#used.out;
  }

  take(way: Way, bytes: number): void {
    const tooMany = way === "out" && this.#used.out + bytes > this.limitBytes * OUTGOING_SHARE;
    if (tooMany || this.usedBytes + bytes > this.limitBytes) {
      throw Object.assign(new RangeError("the spool's quota is used up"), { code: "EDQUOT" });
    }
    this.#used[way] += bytes;
  }

  giveBack(way: Way, bytes: number): void {
    this.#used[way] -= bytes;
  }
}

export const SPOOL_QUOTA = new SpoolQuota(2_000_000_000);
