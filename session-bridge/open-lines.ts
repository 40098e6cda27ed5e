// Counts the bridge's network sockets. When many are lost together, the network had an outage; reconnects are spread over up to half a
// minute, five a second.
import { LostTogether } from "./lost-together.ts";

export class OpenLines {
  #open = 0;
  readonly #together: LostTogether;

  constructor(random?: () => number) {
    this.#together = new LostTogether({ windowMs: 5_000, least: 10, share: 0.2, eachMs: 200, atMostMs: 30_000 }, random);
  }

  opened(): void {
    this.#open += 1;
  }

  closed(): void {
    this.#open -= 1;
  }

  /** Call after `closed`, for a socket that was open. */
  lost(now: number): void {
    this.#together.lost(now);
  }

  waitMs(now: number): number {
    return this.#together.waitMs(now, this.#open);
  }
}
