import { Semaphore } from "async-mutex";
import type { ProxyCheck, ProxyCheckResult } from "@gateway/protocol/bridge-socket.ts";

/** Maximum number of concurrent checks: for the pool's periodic rounds, and for urgent checks that a user is waiting for. */
const [ROUND_SLOTS, URGENT_SLOTS] = [100, 20];
/** Checks beyond these limits are dropped, and so are checks that could not start in time. */
const [MAX_ROUND_WAITING, MAX_URGENT_WAITING] = [5_000, 200];

type Queue = { slots: Semaphore; waiting: number; maxWaiting: number };

export class CheckQueue {
  readonly #make: (check: ProxyCheck) => Promise<ProxyCheckResult>;
  readonly #round: Queue = { slots: new Semaphore(ROUND_SLOTS), waiting: 0, maxWaiting: MAX_ROUND_WAITING };
  readonly #urgent: Queue = { slots: new Semaphore(URGENT_SLOTS), waiting: 0, maxWaiting: MAX_URGENT_WAITING };

  constructor(make: (check: ProxyCheck) => Promise<ProxyCheckResult>) {
    this.#make = make;
  }

  async add(check: ProxyCheck): Promise<ProxyCheckResult | null> {
    const queue = check.urgent ? this.#urgent : this.#round;
    if (queue.waiting >= queue.maxWaiting) return null;
    const until = performance.now() + check.start_within_ms;
    queue.waiting += 1;
    return queue.slots.runExclusive(() => {
      queue.waiting -= 1;
      return performance.now() > until ? null : this.#make(check);
    });
  }
}
