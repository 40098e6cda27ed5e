// The fields are defined in docs/use/statistics.md, "What is counted".
import { says } from "../../http/openapi/text.ts";
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
    complete_until: iso.openapi(
      says({
        en: "Instances have reported what was counted before this time, but for one that could not",
        pt: "As instâncias informaram o que foi contado antes deste momento, exceto uma que não tenha conseguido",
      }),
    ),
    users: z
      .object({ total: number, active: number, suspended: number, subscribed: number })
      .openapi(says({ en: "As they are now", pt: "Como estão agora" })),
    instances: z
      .object({
        total: number,
        by_status: byName.openapi({ example: { connected: 3, disconnected: 1 } }),
        by_kind: byName.openapi({ example: { session: 4 } }),
      })
      .openapi(says({ en: "As they are now", pt: "Como estão agora" })),
    messages: z.object({
      sent: number.openapi(
        says({
          en: "Messages of the APIs and the dashboard that the network accepted",
          pt: "Mensagens das APIs e do painel que a rede aceitou",
        }),
      ),
      received: number.openapi(
        says({ en: "Messages that were announced by `message.received`", pt: "Mensagens anunciadas por `message.received`" }),
      ),
      failed: number.openapi(
        says({
          en: "Messages that were not sent, or that nothing has proven to be sent for an hour",
          pt: "Mensagens que não foram enviadas, ou cujo envio nada comprovou em uma hora",
        }),
      ),
      by_type: z
        .record(z.string(), z.object({ sent: number, received: number, failed: number }))
        .openapi({ example: { text: { sent: 2, received: 1, failed: 0 } } }),
    }),
    webhooks: z.object({
      deliveries: number.openapi(says({ en: "Events times receivers", pt: "Eventos vezes receptores" })),
      attempts: number.openapi(says({ en: "Requests to receivers that have ended", pt: "Requisições a receptores que terminaram" })),
      delivered: number.openapi(says({ en: "Deliveries that were accepted, each once", pt: "Entregas aceitas, cada uma contada uma vez" })),
      failed: number.openapi(
        says({
          en: "Deliveries that were given up, or stored for a webhook that is disabled",
          pt: "Entregas das quais se desistiu, ou guardadas para um webhook desativado",
        }),
      ),
      pending: number.openapi(
        says({
          en: "Deliveries that wait for an attempt, as instances have last reported",
          pt: "Entregas que esperam uma tentativa, como as instâncias informaram por último",
        }),
      ),
      p50_ms: latency.openapi(
        says({
          en: "Half of the accepted attempts took no longer; null without any",
          pt: "Metade das tentativas aceitas não demorou mais que isto; null sem nenhuma",
        }),
      ),
      p95_ms: latency.openapi(
        says({
          en: "95 % of the accepted attempts took no longer; null without any",
          pt: "95 % das tentativas aceitas não demoraram mais que isto; null sem nenhuma",
        }),
      ),
      disabled: number.openapi(
        says({
          en: "How often a webhook was disabled after 72 hours of failures",
          pt: "Quantas vezes um webhook foi desativado depois de 72 horas de falhas",
        }),
      ),
    }),
    errors: z.object({
      by_code: byName.openapi({
        ...says({
          en: "Why sends failed, codes of calls that were answered 500, 502, 503 or 504, and why attempts at receivers failed (`webhook_…`)",
          pt: "Por que envios falharam, códigos de chamadas respondidas com 500, 502, 503 ou 504, e por que tentativas em receptores falharam (`webhook_…`)",
        }),
        example: { send_outcome_unknown: 1, webhook_timeout: 4 },
      }),
    }),
    connected_minutes: number,
    bridges: z
      .object({ count: number, sessions: number, rss_mb: z.number() })
      .openapi(says({ en: "Of the whole deployment, as they are now", pt: "De toda a instalação, como estão agora" })),
    proxies: z
      .object({ total: number, healthy: number, degraded: number, down: number, unknown: number })
      .openapi(says({ en: "Of the whole deployment, as they are now", pt: "De toda a instalação, como estão agora" })),
    series: z
      .array(
        z.object({
          at: iso.openapi(says({ en: "The beginning of the hour or day, UTC", pt: "O começo da hora ou do dia, UTC" })),
          sent: number,
          received: number,
          failed: number,
          deliveries: number,
          delivered: number,
          errors: number,
          connected_minutes: number,
          complete: z.boolean().openapi(
            says({
              en: "False while the hour or day runs, or instances have yet to report it",
              pt: "false enquanto a hora ou o dia está em andamento ou ainda há instâncias por informar",
            }),
          ),
        }),
      )
      .openapi(
        says({ en: "Oldest first, without those that lie in the future", pt: "Do mais antigo ao mais novo, sem os que estão no futuro" }),
      ),
  })
  .openapi("Statistics");
