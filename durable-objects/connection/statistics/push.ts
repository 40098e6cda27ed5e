// Brings whole hours of counts to D1, at most once an hour; an hour in which nothing was counted pushes nothing (docs/statistics.md,
// "How numbers become exact").
import { hourOf } from "../../../src/domain/statistics/counts.ts";
import type { CatchUp } from "../../../src/domain/spread.ts";
import { MINUTE_MS, HOUR_MS } from "../../../src/protocol/units.ts";
import { PUSH_WINDOW_MS, type PushedCounts } from "../../../src/services/statistics/push.ts";
import { errorFields, log } from "../../../src/log.ts";
import type { Counters } from "./counters.ts";

const TRY_AGAIN_MS = 5 * MINUTE_MS;
/** The first minute is left out: work that is due within a minute is not written to the directory. */
const FIRST_MS = MINUTE_MS;

type Dependencies = {
  counters: Counters;
  /** The connection's UUID: each object pushes at a time of its own, or all would at once. */
  connection: string;
  catchUp: Pick<CatchUp, "notBefore">;
  /** Deliveries that wait for an attempt. */
  waiting: () => number;
  /** Writes to D1; `connection`: its UUID. */
  write: (connection: string, counts: PushedCounts) => Promise<void>;
  /** What is due has changed outside of an event. */
  rearm: () => void;
};

export class StatisticsPush {
  readonly #deps: Dependencies;
  readonly #offsetMs: number;
  #notBefore = 0;
  #running = false;
  #last: Promise<void> = Promise.resolve();

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#offsetMs = FIRST_MS + (Number.parseInt(deps.connection.slice(0, 8), 16) % (PUSH_WINDOW_MS - FIRST_MS) || 0);
  }

  nextDue(): number | null {
    const { catchUp, counters } = this.#deps;
    const { oldestUnpushed, pushedAt } = counters;
    if (oldestUnpushed === null) return null;
    const due = Math.max(oldestUnpushed, hourOf(pushedAt)) + HOUR_MS + this.#offsetMs;
    return Math.max(this.#notBefore, catchUp.notBefore(due));
  }

  run(now: number): void {
    const due = this.nextDue();
    if (due === null || due > now || this.#running) return;
    // Should the object stop before the answer, it is pushed again.
    this.#notBefore = now + TRY_AGAIN_MS;
    this.#running = true;
    const { connection } = this.#deps;
    void this.push(connection, hourOf(now))
      .catch((error: unknown) => log("statistics.not_pushed", { connection, ...errorFields(error) }))
      .finally(() => {
        this.#running = false;
        this.#deps.rearm();
      });
  }

  /** Pushes the hours before `before` (Unix ms), one push after the other. Throws when D1 could not be reached. */
  push(connection: string, before: number): Promise<void> {
    const pushed = this.#last.then(() => this.#push(connection, before));
    this.#last = pushed.catch(() => undefined);
    return pushed;
  }

  async #push(connection: string, before: number): Promise<void> {
    const { counters, waiting, write } = this.#deps;
    const { hours, connected } = counters.unpushed(before);
    if (hours.length === 0) return;
    await write(connection, { hours, connected, waiting: waiting() });
    counters.pushed(hours, Date.now());
    this.#notBefore = 0;
  }
}
