// How many messages may be on their way to Graph at once: an object's connections are shared with its webhook deliveries
// (docs/cloud-api.md, "Sending").

const SLOTS = 4;

export class SendSlots {
  #free = SLOTS;
  readonly #waiting: (() => void)[] = [];

  /** Waits for a slot, first come first served; the result gives it back. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return () => this.#release();
  }

  /** The next one takes the slot over. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
