// Time spent in each status. Only hours with a change get a row, so there is at most one row per hour for the last 7 days.
import { hourOf } from "@gateway/domain/statistics/counts.ts";
import { ACTIVITY_MS, afterChange, type StatusHour } from "@gateway/domain/statistics/activity.ts";
import type { InstanceState } from "@gateway/domain/instance/state.ts";
import type { InstanceStatus } from "@gateway/protocol/connection.ts";

type StatusHourRow = { hour: number; ms: string; changed_at: number; ended: InstanceStatus };
type Shown = Pick<InstanceState, "status" | "changedAt">;

export class StatusHours {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Called in the transaction that stores the new state. `now` is in Unix ms. */
  changed(before: Shown, after: Shown, now: number): void {
    if (before.status === after.status && before.changedAt === after.changedAt) return;
    const [last = null] = this.#read("ORDER BY hour DESC LIMIT 1");
    // If the status stays the same, records it only if no status is recorded yet.
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
      .exec<StatusHourRow>(`SELECT hour, ms, changed_at, ended FROM status_hour ${which}`, ...bindings)
      .toArray()
      .map(({ hour, ms, changed_at, ended }) => ({ hour, ms: JSON.parse(ms) as StatusHour["ms"], changedAt: changed_at, ended }));
  }
}
