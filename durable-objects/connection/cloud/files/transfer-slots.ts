// Slots for transfers to and from Meta. They limit concurrent transfers and starts per second.

const SECOND_MS = 1_000;
/** A transfer that takes longer releases its slot, so that one that hangs does not block the others. */
const OVERDUE_MS = 5_000;

export class TransferSlots {
  readonly #atOnce: number;
  readonly #gapMs: number;
  #running = 0;
  #nextAt = 0;
  readonly #onFree: () => void;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number, { perSecond = Number.POSITIVE_INFINITY, onFree = () => {} }: { perSecond?: number; onFree?: () => void }) {
    this.#atOnce = atOnce;
    this.#gapMs = SECOND_MS / perSecond;
    this.#onFree = onFree;
  }

  get isFree(): boolean {
    return this.#running < this.#atOnce;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFree) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let passed = false;
    const pass = () => {
      if (!passed) this.#pass();
      passed = true;
    };
    const timer = setTimeout(pass, OVERDUE_MS);
    try {
      await this.#untilAllowed();
      return await work();
    } finally {
      clearTimeout(timer);
      pass();
    }
  }

  #pass(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) return next();
    this.#running -= 1;
    this.#onFree();
  }

  async #untilAllowed(): Promise<void> {
    const now = Date.now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + this.#gapMs;
    if (at > now) await new Promise((resolve) => setTimeout(resolve, at - now));
  }
}
