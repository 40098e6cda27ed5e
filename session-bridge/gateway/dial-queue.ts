// Session sockets that are to be dialled: few at a time, so that those which are lost together, or given to a bridge at once, do not make
// each other wait for the gateway until all of them have waited too long.
import { DIALS } from "@gateway/protocol/session-socket.ts";

type DialLimits = {
  atOnce: number;
  /** How long a dial may take. One that has hung gets twice as long the next time, up to `patienceAtMostMs`. */
  patienceMs: number;
  patienceAtMostMs: number;
};

/** A gateway that is asked too much answers late, and also those that have been given up. */
const LIMITS: DialLimits = { atOnce: DIALS.atOnce, patienceMs: 10_000, patienceAtMostMs: 60_000 };

export type Dial = {
  /** How often it has taken too long since it was answered. */
  hangs: number;
  /** Somebody waits for it. */
  isWanted(): boolean;
  begin(): void;
  /** It has taken too long, and others have their turn. */
  hung(): void;
};

export class DialQueue {
  readonly #limits: DialLimits;
  /** In turn. */
  readonly #waiting = new Set<Dial>();
  /** With the timer of its patience. */
  readonly #running = new Map<Dial, NodeJS.Timeout>();

  constructor(limits: DialLimits = LIMITS) {
    this.#limits = limits;
  }

  /** `begin` is called at its turn, which may be now. */
  add(dial: Dial): void {
    this.#waiting.add(dial);
    this.#next();
  }

  /** It has been answered, has failed, or is not wanted any more. */
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

  /** One that hangs again and again would be first for ever: it waits as those do for which nobody waits. */
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
