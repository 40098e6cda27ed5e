// The fields are defined in docs/use/statistics.md, "What is counted".
import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
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
        en: "All instances have had time to report counts before this time",
        pt: "Todas as instâncias tiveram tempo de informar as contagens até este momento",
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
          en: "Messages from the APIs and the dashboard that the network accepted",
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
      attempts: number.openapi(says({ en: "Completed requests to receivers", pt: "Requisições concluídas a destinos" })),
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
          pt: "Quantas vezes um webhook foi desativado depois de 72 horas de falhas",
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
          errors: number,
          connected_minutes: number,
          complete: z.boolean().openapi(
            says({
              en: "False while the hour or day runs, or while instances have not reported it",
              pt: "false enquanto a hora ou o dia está em andamento ou ainda falta alguma instância informar",
            }),
          ),
        }),
      )
      .openapi(says({ en: "Oldest first, without future periods", pt: "Do mais antigo ao mais novo, sem períodos futuros" })),
  })
  .openapi("Statistics");
