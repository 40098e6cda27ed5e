// Counts the process's open network sockets. After many losses, reconnects are spread over up to half a minute, at five a second.
import { LossSpread } from "./loss-spread.ts";

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
