// A number's activity per hour: time in each status, and messages sent and received (docs/use/statistics.md, "Activity").
import { INSTANCE_STATUSES, type InstanceStatus } from "@gateway/protocol/connection.ts";
import type { ActivityHour } from "@gateway/protocol/records.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { type Counts, hourOf, totalOf } from "./counts.ts";

export const ACTIVITY_MS = 7 * DAY_MS;

type Times = Partial<Record<InstanceStatus, number>>;

/** `hour` is its start (Unix ms). `ms` is the time per status until `changedAt`, and `ended` the status since then. */
export type StatusHour = { hour: number; ms: Times; changedAt: number; ended: InstanceStatus };

/** `last` is the newest hour with a change, or null if none is stored. `before` contains the status until `now`, and when it began. */
export function afterChange(
  last: StatusHour | null,
  before: { status: InstanceStatus; since: number },
  status: InstanceStatus,
  now: number,
): StatusHour[] {
  const first = last === null ? [firstHour(before, now)] : [];
  const newest = last ?? first[0];
  // Setting the clock back must not shorten the time in a status.
  const at = Math.max(now, newest?.changedAt ?? now);
  const hour = hourOf(at);
  if (newest === undefined || newest.hour < hour) {
    return [...first, { hour, ms: timeOf(before.status, at - hour), changedAt: at, ended: status }];
  }
  const ms = { ...newest.ms };
  const lasted = (ms[before.status] ?? 0) + at - newest.changedAt;
  if (lasted > 0) ms[before.status] = lasted;
  return [{ hour, ms, changedAt: at, ended: status }];
}

function firstHour({ status, since }: { status: InstanceStatus; since: number }, now: number): StatusHour {
  const at = Math.max(Math.min(since, now), now - ACTIVITY_MS);
  return { hour: hourOf(at), ms: {}, changedAt: at, ended: status };
}

const timeOf = (status: InstanceStatus, ms: number): Times => (ms === 0 ? {} : { [status]: ms });

/** Oldest first. `changes` includes the last change before the span. If it is empty, the status has been `current` since `since`. */
export function activityOf(
  hours: number,
  changes: readonly StatusHour[],
  current: { status: InstanceStatus; since: number },
  counted: ReadonlyMap<number, Counts>,
  now: number,
): ActivityHour[] {
  const known = changes.length > 0 ? changes : [firstHour(current, now)];
  const byHour = new Map(known.map((change) => [change.hour, change]));
  const shown: ActivityHour[] = [];
  const begin = hourOf(now) - (hours - 1) * HOUR_MS;
  let status = known.findLast(({ hour }) => hour < begin)?.ended ?? null;
  for (let hour = begin; hour <= now; hour += HOUR_MS) {
    const end = Math.min(hour + HOUR_MS, now);
    const change = byHour.get(hour);
    const ms: Times = { ...change?.ms };
    const [since, lasting] = change === undefined ? [hour, status] : [change.changedAt, change.ended];
    if (lasting !== null) ms[lasting] = (ms[lasting] ?? 0) + Math.max(0, end - since);
    status = lasting;
    shown.push({ at: hour, minutes: minutesOf(ms), ...messagesOf(counted.get(hour) ?? {}) });
  }
  return shown;
}

function minutesOf(ms: Times): ActivityHour["minutes"] {
  const minutes = (status: InstanceStatus): number => Math.round(((ms[status] ?? 0) / MINUTE_MS) * 10) / 10;
  return Object.fromEntries(INSTANCE_STATUSES.map((status) => [status, minutes(status)])) as ActivityHour["minutes"];
}

function messagesOf(counts: Counts) {
  const [sent, received, failed] = [totalOf(counts, "sent"), totalOf(counts, "received"), totalOf(counts, "failed")];
  return { sent, received, failed, delivered: counts["delivered"] ?? 0 };
}
