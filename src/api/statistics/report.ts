import { fieldIssue } from "@gateway/domain/failures/field-problems.ts";
import { numbersOf, type Point, seriesOf, sumOf, type Unit, wholeSpan } from "@gateway/domain/statistics/report.ts";
import { fail, type FieldIssue, type Outcome } from "@gateway/protocol/failures.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { allBridges } from "#root/src/services/bridges/pools.ts";
import { countProxies } from "#root/src/services/proxies/find.ts";
import { HOURS_RETENTION_MS } from "#root/src/services/statistics/push.ts";
import { bringRunningHour, completeUntil, countedSince, overviewOf, presentOf, type Scope } from "#root/src/services/statistics/report.ts";
import { isoOfMs } from "@gateway/domain/iso-times.ts";
import type { Administrator } from "../audit/page.ts";
import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { iso } from "../account/fields.ts";

const LONGEST_MS = 90 * DAY_MS;

/** `from` and `to` are in Unix seconds. `user_id` and `instance_id` cannot be combined. */
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
  const issues: FieldIssue[] = [];
  if (from >= to) issues.push(fieldIssue("to", "range_ends_first"));
  else if (to - from > LONGEST_MS) issues.push(fieldIssue("to", "long_range"));
  else if (interval === "hour" && from < now - HOURS_RETENTION_MS) issues.push(fieldIssue("from", "old_hours"));
  if (user_id !== undefined && instance_id !== undefined) issues.push(fieldIssue("instance_id", "one_filter"));
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
    p50_ms: webhooks.p50Ms,
    p95_ms: webhooks.p95Ms,
    errors: Object.values(errors).reduce((sum, count) => sum + count, 0),
    errors_by_code: errors,
    connected_minutes: connectedMinutes,
  };
}

// The fields are defined in docs/use/statistics.md, "What is counted".
const number = z.number().int();
const byName = z.record(z.string(), number);
const latency = number.nullable();

export const Statistics = z
  .object({
    from: iso,
    to: iso,
    interval: z.enum(["hour", "day"]),
    complete_until: iso.openapi(
      says({
        en: "All instances have had time to report their counts up to this time",
        pt: "Até este momento, todas as instâncias tiveram tempo de informar as contagens",
      }),
    ),
    users: z
      .object({ total: number, active: number, suspended: number, subscribed: number })
      .openapi(says({ en: "Current values", pt: "Valores atuais" })),
    instances: z
      .object({
        total: number,
        by_status: byName.openapi({ example: { connected: 3, disconnected: 1 } }),
        by_kind: byName.openapi({ example: { session: 4 } }),
      })
      .openapi(says({ en: "Current values", pt: "Valores atuais" })),
    messages: z.object({
      sent: number.openapi(
        says({
          en: "Messages from the APIs and the dashboard that WhatsApp accepted",
          pt: "Mensagens das APIs e do painel que o WhatsApp aceitou",
        }),
      ),
      received: number.openapi(says({ en: "Messages announced as `message.received`", pt: "Mensagens anunciadas por `message.received`" })),
      failed: number.openapi(
        says({
          en: "Messages that were not sent, or without proof of sending after an hour",
          pt: "Mensagens que não foram enviadas, ou sem prova de envio depois de uma hora",
        }),
      ),
      by_type: z
        .record(z.string(), z.object({ sent: number, received: number, failed: number }))
        .openapi({ example: { text: { sent: 2, received: 1, failed: 0 } } }),
    }),
    webhooks: z.object({
      deliveries: number.openapi(says({ en: "One per event and receiver", pt: "Uma por evento e destino" })),
      attempts: number.openapi(says({ en: "Completed requests to receivers", pt: "Requisições concluídas para destinos" })),
      delivered: number.openapi(says({ en: "Accepted deliveries, each counted once", pt: "Entregas aceitas, cada uma contada uma vez" })),
      failed: number.openapi(
        says({
          en: "Deliveries that were given up, or stored for a disabled webhook",
          pt: "Entregas sem mais tentativas, ou guardadas para um webhook desativado",
        }),
      ),
      pending: number.openapi(
        says({
          en: "Deliveries that wait for an attempt, as instances last reported",
          pt: "Entregas que esperam uma tentativa, como as instâncias informaram por último",
        }),
      ),
      p50_ms: latency.openapi(
        says({
          en: "Median duration of accepted attempts; null without any",
          pt: "Duração mediana das tentativas aceitas; null sem nenhuma",
        }),
      ),
      p95_ms: latency.openapi(
        says({
          en: "95th percentile of the duration of accepted attempts; null without any",
          pt: "Percentil 95 da duração das tentativas aceitas; null sem nenhuma",
        }),
      ),
      disabled: number.openapi(
        says({
          en: "How often a webhook was disabled after 72 hours of failures",
          pt: "Quantas vezes um webhook foi desligado depois de 72 horas de falhas",
        }),
      ),
    }),
    errors: z.object({
      by_code: byName.openapi({
        ...says({
          en: "Reasons of failed sends, codes of calls with 500, 502, 503 or 504, and reasons of failed webhook attempts (`webhook_…`)",
          pt: "Motivos de envios que falharam, códigos de chamadas com 500, 502, 503 ou 504, e motivos de tentativas de webhook que falharam (`webhook_…`)",
        }),
        example: { send_outcome_unknown: 1, webhook_timeout: 4 },
      }),
    }),
    connected_minutes: number,
    bridges: z
      .object({ count: number, sessions: number, rss_mb: z.number() })
      .openapi(says({ en: "Current values of the whole deployment", pt: "Valores atuais de toda a instalação" })),
    proxies: z
      .object({ total: number, healthy: number, degraded: number, down: number, unknown: number })
      .openapi(says({ en: "Current values of the whole deployment", pt: "Valores atuais de toda a instalação" })),
    series: z
      .array(
        z.object({
          at: iso.openapi(says({ en: "The start of the hour or day, UTC", pt: "O começo da hora ou do dia, UTC" })),
          sent: number,
          received: number,
          failed: number,
          deliveries: number,
          delivered: number,
          p50_ms: latency.openapi(says({ en: "As in `webhooks`, of this period", pt: "Como em `webhooks`, deste período" })),
          p95_ms: latency.openapi(says({ en: "As in `webhooks`, of this period", pt: "Como em `webhooks`, deste período" })),
          errors: number,
          errors_by_code: byName.openapi({
            ...says({ en: "As `errors.by_code`, of this period", pt: "Como `errors.by_code`, deste período" }),
            example: { webhook_timeout: 4 },
          }),
          connected_minutes: number,
          complete: z.boolean().openapi(
            says({
              en: "False while the hour or day runs, or while instances have not reported it",
              pt: "false enquanto a hora ou o dia está em andamento ou ainda falta alguma instância informar",
            }),
          ),
        }),
      )
      .openapi(says({ en: "Oldest first, without future periods", pt: "Do mais antigo ao mais recente, sem períodos futuros" })),
  })
  .openapi("Statistics");
