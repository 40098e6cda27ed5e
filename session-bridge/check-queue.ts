// The checks of proxies that wait for their turn on this bridge (docs/operate/proxies.md, "Proxies").
import { Semaphore } from "async-mutex";
import type { ProxyCheck, ProxyCheckResult } from "@gateway/protocol/bridge/proxy-checks.ts";

/** How many are made at the same time: of those of the pool's rounds, and of those that somebody waits for. */
const [ROUND_SLOTS, URGENT_SLOTS] = [100, 20];
/** How many wait at most; one more is dropped as if it had waited too long. */
const [MAX_ROUND_WAITING, MAX_URGENT_WAITING] = [5_000, 200];

type Line = { slots: Semaphore; waiting: number; maxWaiting: number };

export class CheckQueue {
  readonly #make: (check: ProxyCheck) => Promise<ProxyCheckResult>;
  readonly #round: Line = { slots: new Semaphore(ROUND_SLOTS), waiting: 0, maxWaiting: MAX_ROUND_WAITING };
  readonly #urgent: Line = { slots: new Semaphore(URGENT_SLOTS), waiting: 0, maxWaiting: MAX_URGENT_WAITING };

  constructor(make: (check: ProxyCheck) => Promise<ProxyCheckResult>) {
    this.#make = make;
  }

  /** Null: it was not made, because it would have begun too late. */
  async add(check: ProxyCheck): Promise<ProxyCheckResult | null> {
    const line = check.urgent ? this.#urgent : this.#round;
    if (line.waiting >= line.maxWaiting) return null;
    const until = performance.now() + check.start_within_ms;
    line.waiting += 1;
    return line.slots.runExclusive(() => {
      line.waiting -= 1;
      return performance.now() > until ? null : this.#make(check);
    });
  }
}
