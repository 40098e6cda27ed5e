// The lines of a bridge to the network. When many are lost together the network is away, or was for a moment: they are opened again spread
// over half a minute, five a second.
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

  /** One that was open was lost, which `closed` has heard of. */
  lost(now: number): void {
    this.#together.lost(now);
  }

  /** How much longer than alone one that was just lost is to wait. */
  waitMs(now: number): number {
    return this.#together.waitMs(now, this.#open);
  }
}
