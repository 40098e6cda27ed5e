import { numbersOf, type Point, seriesOf, sumOf, type Unit, wholeSpan } from "@gateway/domain/statistics/report.ts";
import { fail, type Failure, type Outcome } from "@gateway/protocol/failures.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { allBridges } from "../../services/bridges/pools.ts";
import { countProxies } from "../../services/proxies/find.ts";
import { HOURS_RETENTION_MS } from "../../services/statistics/push.ts";
import { bringRunningHour, completeUntil, countedSince, overviewOf, presentOf, type Scope } from "../../services/statistics/report.ts";
import { isoOfMs } from "../../http/times.ts";
import type { Administrator } from "../audit/audited.ts";

const LONGEST_MS = 90 * DAY_MS;

/** `from` and `to` in Unix seconds; `user_id` and `instance_id` exclude each other. */
export type StatisticsQuery = {
  interval: Unit;
  from?: number | undefined;
  to?: number | undefined;
  user_id?: string | undefined;
  instance_id?: string | undefined;
};

export async function statisticsReport({ c, now }: Administrator, query: StatisticsQuery) {
  const asked = spanOf(query, now);
  if (!asked.ok) return asked;
  const { interval } = query;
  const span = wholeSpan(interval, asked.value.from, asked.value.to);
  const scope = scopeOf(query);
  const until = completeUntil(now);
  if (span.from <= now && span.to > now) await bringRunningHour(c.env, scope);
  const [rows, present, overview, proxies, bridges] = await Promise.all([
    countedSince(c.env.DB, scope, interval, span.from),
    presentOf(c.env.DB, scope),
    overviewOf(c.env.DB, scope),
    countProxies(c.env.DB),
    allBridges(c.env),
  ]);
  const series = seriesOf(interval, span, rows, present.connected, now);
  const { messages, webhooks, errors } = numbersOf(sumOf(series.map(({ counts }) => counts)));
  const { users, instances } = overview;
  const connected = bridges.filter((bridge) => bridge.connected);
  const value = {
    from: isoOfMs(span.from),
    to: isoOfMs(span.to),
    interval,
    complete_until: isoOfMs(until),
    users,
    instances: { total: instances.total, by_status: instances.byStatus, by_kind: instances.byKind },
    messages: { sent: messages.sent, received: messages.received, failed: messages.failed, by_type: messages.byType },
    webhooks: {
      deliveries: webhooks.deliveries,
      attempts: webhooks.attempts,
      delivered: webhooks.delivered,
      failed: webhooks.failed,
      pending: present.waiting,
      p50_ms: webhooks.p50Ms,
      p95_ms: webhooks.p95Ms,
      disabled: webhooks.disabled,
    },
    errors: { by_code: errors },
    connected_minutes: series.reduce((sum, { connectedMinutes }) => sum + connectedMinutes, 0),
    bridges: {
      count: connected.length,
      sessions: connected.reduce((sum, { sessions }) => sum + sessions, 0),
      rss_mb: connected.reduce((sum, { rss_mb }) => sum + rss_mb, 0),
    },
    proxies,
    series: series.map((point) => ({ ...renderPoint(point), complete: point.at + (interval === "hour" ? HOUR_MS : DAY_MS) <= until })),
  };
  return { ok: true as const, value };
}

function scopeOf({ instance_id: instance, user_id: user }: StatisticsQuery): Scope {
  if (instance !== undefined) return { kind: "connection", id: instance };
  return user === undefined ? { kind: "all" } : { kind: "user", id: user };
}

function spanOf(
  { from: givenFrom, to: givenTo, interval, user_id, instance_id }: StatisticsQuery,
  now: number,
): Outcome<{ from: number; to: number }> {
  const to = givenTo === undefined ? now : givenTo * 1_000;
  const from = givenFrom === undefined ? to - (interval === "hour" ? DAY_MS : 30 * DAY_MS) : givenFrom * 1_000;
  const issues: NonNullable<Failure["issues"]> = [];
  if (from >= to) issues.push({ field: "to", issue: "must be later than `from`" });
  else if (to - from > LONGEST_MS) issues.push({ field: "to", issue: "must be at most 90 days after `from`" });
  else if (interval === "hour" && from < now - HOURS_RETENTION_MS) issues.push({ field: "from", issue: "hours are kept for 31 days" });
  if (user_id !== undefined && instance_id !== undefined) issues.push({ field: "instance_id", issue: "not together with `user_id`" });
  return issues.length > 0 ? fail("validation_error", { issues }) : { ok: true, value: { from, to } };
}

function renderPoint({ at, counts, connectedMinutes }: Point) {
  const { messages, webhooks, errors } = numbersOf(counts);
  return {
    at: isoOfMs(at),
    sent: messages.sent,
    received: messages.received,
    failed: messages.failed,
    deliveries: webhooks.deliveries,
    delivered: webhooks.delivered,
    errors: Object.values(errors).reduce((sum, count) => sum + count, 0),
    connected_minutes: connectedMinutes,
  };
}
