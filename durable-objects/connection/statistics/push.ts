// Pushes hourly counts to D1, at most once an hour and only if something was counted.
import { hourOf } from "@gateway/domain/statistics/counts.ts";
import type { CatchUp } from "@gateway/domain/spread.ts";
import { MINUTE_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { ACTIVITY_MS, afterChange, type StatusHour } from "@gateway/domain/statistics/activity.ts";
import type { InstanceState } from "@gateway/domain/instance/state.ts";
import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import { PUSH_WINDOW_MS, type PushedCounts } from "#root/src/services/statistics/push.ts";
import { errorFields, log } from "#root/src/log.ts";
import { BackgroundTask } from "../background-task.ts";
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

// Time spent in each status. Only hours with a change get a row, so there is at most one row per hour for the last 7 days.
type Row = { hour: number; ms: string; changed_at: number; ended: InstanceStatus };
type Shown = Pick<InstanceState, "status" | "changedAt">;

export class StatusHours {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Called in the transaction that stores the new state. `now` is Unix ms. */
  changed(before: Shown, after: Shown, now: number): void {
    if (before.status === after.status && before.changedAt === after.changedAt) return;
    const [last = null] = this.#read("ORDER BY hour DESC LIMIT 1");
    // Records a new reason for the same status only if none is recorded yet.
    if (before.status === after.status && last !== null) return;
    const rows = afterChange(last, { status: before.status, since: before.changedAt }, after.status, now);
    for (const { hour, ms, changedAt, ended } of rows) {
      this.#sql.exec(
        "INSERT OR REPLACE INTO status_hour (hour, ms, changed_at, ended) VALUES (?, ?, ?, ?)",
        hour,
        JSON.stringify(ms),
        changedAt,
        ended,
      );
    }
    if (rows.some(({ hour }) => hour !== last?.hour)) this.#drop(now);
  }

  since(from: number): StatusHour[] {
    return this.#read("WHERE hour >= ifnull((SELECT max(hour) FROM status_hour WHERE hour < ?), 0) ORDER BY hour", hourOf(from));
  }

  /** Deletes expired rows, except the last one, whose status may still be current. */
  #drop(now: number): void {
    const from = hourOf(now - ACTIVITY_MS);
    this.#sql.exec("DELETE FROM status_hour WHERE hour < (SELECT max(hour) FROM status_hour WHERE hour <= ?)", from);
  }

  #read(which: string, ...bindings: number[]): StatusHour[] {
    return this.#sql
      .exec<Row>(`SELECT hour, ms, changed_at, ended FROM status_hour ${which}`, ...bindings)
      .toArray()
      .map(({ hour, ms, changed_at, ended }) => ({ hour, ms: JSON.parse(ms) as StatusHour["ms"], changedAt: changed_at, ended }));
  }
}
