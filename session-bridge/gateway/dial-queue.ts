// Limits concurrent dials, so that sessions that reconnect together do not slow the gateway down until all of them time out.
import { DIALS } from "@gateway/protocol/session-socket.ts";

type DialLimits = {
  atOnce: number;
  /** First timeout of a dial. It doubles each time the dial hangs, up to `patienceAtMostMs`. */
  patienceMs: number;
  patienceAtMostMs: number;
};

/** An overloaded gateway answers late, and still spends time on dials that were abandoned. */
const LIMITS: DialLimits = { atOnce: DIALS.atOnce, patienceMs: 10_000, patienceAtMostMs: 60_000 };

export type Dial = {
  hangs: number;
  isWanted(): boolean;
  begin(): void;
  hung(): void;
};

export class DialQueue {
  readonly #limits: DialLimits;
  readonly #waiting = new Set<Dial>();
  readonly #running = new Map<Dial, NodeJS.Timeout>();

  constructor(limits: DialLimits = LIMITS) {
    this.#limits = limits;
  }

  add(dial: Dial): void {
    this.#waiting.add(dial);
    this.#next();
  }

  done(dial: Dial): void {
    this.#waiting.delete(dial);
    clearTimeout(this.#running.get(dial));
    if (this.#running.delete(dial)) this.#next();
  }

  #next(): void {
    const { atOnce, patienceMs, patienceAtMostMs } = this.#limits;
    while (this.#running.size < atOnce) {
      const dial = this.#first();
      if (dial === undefined) return;
      this.#waiting.delete(dial);
      const patience = Math.min(patienceMs * 2 ** dial.hangs, patienceAtMostMs);
      this.#running.set(
        dial,
        setTimeout(() => this.#hung(dial), patience),
      );
      dial.begin();
    }
  }

  /** A dial that keeps hanging loses its priority, or it would block the queue for ever. */
  #first(): Dial | undefined {
    for (const dial of this.#waiting) if (dial.hangs === 0 && dial.isWanted()) return dial;
    return this.#waiting.values().next().value;
  }

  #hung(dial: Dial): void {
    this.#running.delete(dial);
    dial.hangs += 1;
    dial.hung();
    this.#next();
  }
}
