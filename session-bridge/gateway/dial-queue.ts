// Limits concurrent dials. Otherwise sessions that reconnect together would overload the gateway until all of them time out.
import { DIALS } from "@gateway/protocol/session-socket.ts";

type DialLimits = {
  atOnce: number;
  /** Timeout of the first dial. It doubles each time a dial hangs, up to `maxTimeoutMs`. */
  timeoutMs: number;
  maxTimeoutMs: number;
};

/** An overloaded gateway responds late, and keeps processing dials that the bridge has abandoned, so the timeout grows. */
const LIMITS: DialLimits = { atOnce: DIALS.atOnce, timeoutMs: 10_000, maxTimeoutMs: 60_000 };

export type Dial = {
  timeouts: number;
  isWanted(): boolean;
  begin(): void;
  timedOut(): void;
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
    const { atOnce, timeoutMs, maxTimeoutMs } = this.#limits;
    while (this.#running.size < atOnce) {
      const dial = this.#first();
      if (dial === undefined) return;
      this.#waiting.delete(dial);
      const ms = Math.min(timeoutMs * 2 ** dial.timeouts, maxTimeoutMs);
      this.#running.set(
        dial,
        setTimeout(() => this.#timedOut(dial), ms),
      );
      dial.begin();
    }
  }

  /** A dial that has hung before loses its priority, because otherwise it could block the queue forever. */
  #first(): Dial | undefined {
    for (const dial of this.#waiting) if (dial.timeouts === 0 && dial.isWanted()) return dial;
    return this.#waiting.values().next().value;
  }

  #timedOut(dial: Dial): void {
    this.#running.delete(dial);
    dial.timeouts += 1;
    dial.timedOut();
    this.#next();
  }
}
