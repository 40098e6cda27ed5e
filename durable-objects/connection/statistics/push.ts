// Pushes hourly counts to D1, at most once an hour and only if something was counted.
import { hourOf } from "@gateway/domain/statistics/counts.ts";
import type { CatchUp } from "@gateway/domain/catch-up.ts";
import { MINUTE_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { PUSH_WINDOW_MS, type PushedCounts } from "#root/src/services/statistics/push.ts";
import { errorFields, log } from "#root/src/log.ts";
import { BackgroundTask } from "../store/background-task.ts";
import type { StoredTimes } from "../../shared/stored-times.ts";
import type { Counters } from "./counters.ts";

const TRY_AGAIN_MS = 5 * MINUTE_MS;
const FIRST_MS = MINUTE_MS;

type Dependencies = {
  counters: Counters;
  /** The connection's UUID, which determines its push time within the hour. */
  connection: string;
  catchUp: Pick<CatchUp, "notBefore">;
  times: StoredTimes;
  waiting: () => number;
  write: (connection: string, counts: PushedCounts) => Promise<void>;
  rearm: () => void;
};

export class StatisticsPush {
  readonly #deps: Dependencies;
  readonly #offsetMs: number;
  readonly #task: BackgroundTask;
  #last: Promise<void> = Promise.resolve();

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#offsetMs = FIRST_MS + (Number.parseInt(deps.connection.slice(0, 8), 16) % (PUSH_WINDOW_MS - FIRST_MS) || 0);
    const { connection, rearm, times } = deps;
    this.#task = new BackgroundTask({
      name: "statistics",
      pauseMs: TRY_AGAIN_MS,
      times,
      onFailed: (error) => log("statistics.not_pushed", { connection, ...errorFields(error) }),
      onEnded: rearm,
    });
  }

  nextDue(now: number): number | null {
    const { catchUp, counters } = this.#deps;
    const { oldestUnpushed, pushedAt } = counters;
    if (oldestUnpushed === null) return null;
    const due = Math.max(oldestUnpushed, hourOf(pushedAt)) + HOUR_MS + this.#offsetMs;
    return catchUp.notBefore(this.#task.notBefore(due, now));
  }

  clockSetBack(now: number): void {
    this.#deps.counters.clockSetBack(now);
  }

  run(now: number): void {
    const due = this.nextDue(now);
    if (due !== null && due <= now) this.#task.start(now, () => this.push(this.#deps.connection, hourOf(now)));
  }

  /** Pushes the hours before `before` (Unix ms), one push at a time. Throws if D1 could not be reached. */
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
  }
}
