// The deployment's numbers, as administrators see them. What each counts exactly: docs/use/statistics.md, "What is counted".
import { z } from "@hono/zod-openapi";
import { iso } from "../account/fields.ts";

const number = z.number().int();
const byName = z.record(z.string(), number);
const latency = number.nullable();

export const Statistics = z
  .object({
    from: iso,
    to: iso,
    interval: z.enum(["hour", "day"]),
    complete_until: iso.openapi({ description: "Instances have reported what was counted before this time, but for one that could not" }),
    users: z.object({ total: number, active: number, suspended: number, subscribed: number }).openapi({ description: "As they are now" }),
    instances: z
      .object({
        total: number,
        by_status: byName.openapi({ example: { connected: 3, disconnected: 1 } }),
        by_kind: byName.openapi({ example: { session: 4 } }),
      })
      .openapi({ description: "As they are now" }),
    messages: z.object({
      sent: number.openapi({ description: "Messages of the APIs and the dashboard that the network accepted" }),
      received: number.openapi({ description: "Messages that were announced by `message.received`" }),
      failed: number.openapi({ description: "Messages that were not sent, or that nothing has proven to be sent for an hour" }),
      by_type: z
        .record(z.string(), z.object({ sent: number, received: number, failed: number }))
        .openapi({ example: { text: { sent: 2, received: 1, failed: 0 } } }),
    }),
    webhooks: z.object({
      deliveries: number.openapi({ description: "Events times receivers" }),
      attempts: number.openapi({ description: "Requests to receivers that have ended" }),
      delivered: number.openapi({ description: "Deliveries that were accepted, each once" }),
      failed: number.openapi({ description: "Deliveries that were given up, or stored for a webhook that is disabled" }),
      pending: number.openapi({ description: "Deliveries that wait for an attempt, as instances have last reported" }),
      p50_ms: latency.openapi({ description: "Half of the accepted attempts took no longer; null without any" }),
      p95_ms: latency.openapi({ description: "95 % of the accepted attempts took no longer; null without any" }),
      disabled: number.openapi({ description: "How often a webhook was disabled after 72 hours of failures" }),
    }),
    errors: z.object({
      by_code: byName.openapi({
        description:
          "Why sends failed, codes of calls that were answered 500, 502, 503 or 504, and why attempts at receivers failed (`webhook_…`)",
        example: { send_outcome_unknown: 1, webhook_timeout: 4 },
      }),
    }),
    connected_minutes: number,
    bridges: z
      .object({ count: number, sessions: number, rss_mb: z.number() })
      .openapi({ description: "Of the whole deployment, as they are now" }),
    proxies: z
      .object({ total: number, healthy: number, degraded: number, down: number, unknown: number })
      .openapi({ description: "Of the whole deployment, as they are now" }),
    series: z
      .array(
        z.object({
          at: iso.openapi({ description: "The beginning of the hour or day, UTC" }),
          sent: number,
          received: number,
          failed: number,
          deliveries: number,
          delivered: number,
          errors: number,
          connected_minutes: number,
          complete: z.boolean().openapi({ description: "False while the hour or day runs, or instances have yet to report it" }),
        }),
      )
      .openapi({ description: "Oldest first, without those that lie in the future" }),
  })
  .openapi("Statistics");
