import { deliveryErrorText } from "@gateway/domain/webhooks/delivery.ts";
import { isoOfMs, isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import type { DeliveryDetail as Detail, DeliveryRecord } from "@gateway/protocol/records.ts";
import { CONTROLS_PROBLEM, hasNoControls } from "@gateway/domain/people/names-and-emails.ts";
import { ACCOUNT_EVENTS } from "@gateway/domain/webhooks/style/account.ts";
import type { WithConnection } from "#root/src/services/account-webhooks/deliveries.ts";
import type { AccountWebhook } from "#root/src/services/account-webhooks/find.ts";
import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { iso, uuid } from "../account/fields.ts";

/** An enum only in the OpenAPI document, because rows from the database are not validated again. */
const eventType = z.enum(ACCOUNT_EVENTS as readonly string[]);

const events = z
  .array(z.enum(ACCOUNT_EVENTS))
  .min(1)
  .transform((parsed) => [...new Set(parsed)]);

/** On creation, null means the same as an absent field. On a change, null removes the value. */
const nullableFields = {
  secret: z
    .string()
    .max(1024)
    .nullable()
    .openapi(
      says({
        en: "Signs every delivery: HMAC-SHA256 of the body in hex, in `X-Service-Signature`",
        pt: "Assina cada entrega: HMAC-SHA256 do corpo, em hexadecimal, em `X-Service-Signature`",
      }),
    ),
  description: z.string().max(1000).refine(hasNoControls, CONTROLS_PROBLEM).nullable(),
  instance_id: uuid.nullable().openapi(says({ en: "Null: all instances of the account", pt: "Null: todas as instâncias da conta" })),
  headers: z
    .record(z.string(), z.unknown())
    .nullable()
    .openapi({
      type: ["object", "null"],
      ...says({
        en: "Custom headers for every delivery, at most 20; values become text. Not allowed: framing headers, proxy headers (`X-Forwarded-*`, `Via`, `X-Real-IP` …), browser headers (`Cookie`, `Origin`, `Sec-*`) and our own",
        pt: "Cabeçalhos seus em cada entrega, no máximo 20; os valores viram texto. Não são permitidos os de enquadramento, de proxies (`X-Forwarded-*`, `Via`, `X-Real-IP` …), de navegadores (`Cookie`, `Origin`, `Sec-*`) e os nossos",
      }),
      example: { "X-Env": "prod" },
    }),
};

const url = z
  .string()
  .min(1)
  .max(2048)
  .openapi({
    example: "https://hooks.example.com/gateway",
    ...says({
      en: "Public and https; the gateway does not follow redirects",
      pt: "Público e https; o gateway não segue redirecionamentos",
    }),
  });
const retryCount = z
  .number()
  .int()
  .min(0)
  .max(5)
  .openapi(
    says({
      en: "Retries of a failed delivery, after 10 s, 60 s, 5 min, 30 min, 2 h",
      pt: "Novas tentativas de uma entrega que falhou, depois de 10 s, 60 s, 5 min, 30 min, 2 h",
    }),
  );
const timeoutMs = z.number().int().min(1000).max(30_000);

export const newWebhook = z.strictObject({
  url,
  events,
  secret: nullableFields.secret.optional(),
  description: nullableFields.description.optional(),
  instance_id: nullableFields.instance_id.optional(),
  headers: nullableFields.headers.optional(),
  retry_count: retryCount.default(3),
  timeout_ms: timeoutMs.default(5000),
});

export const webhookChanges = z
  .strictObject({ url, events, ...nullableFields, retry_count: retryCount, timeout_ms: timeoutMs, is_active: z.boolean() })
  .partial()
  .refine((body) => Object.values(body).some((value) => value !== undefined), { error: "must have at least one field" })
  .openapi({ minProperties: 1 });

export const Webhook = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    user_id: z.string(),
    url: z.string(),
    events: z.array(eventType),
    secret: z
      .string()
      .nullable()
      .optional()
      .openapi(says({ en: "Only for callers with the scope `manage`", pt: "Só para quem tem o escopo `manage`" })),
    description: z.string().nullable(),
    instance_id: z.string().nullable(),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .openapi(says({ en: "Only for callers with the scope `manage`", pt: "Só para quem tem o escopo `manage`" })),
    retry_count: z.number().int(),
    timeout_ms: z.number().int(),
    is_active: z.boolean(),
    created_at: iso,
    updated_at: iso,
  })
  .openapi("Webhook");

export const deliveryStatus = z.enum(["pending", "delivered", "failed"]);

export const Delivery = z
  .object({
    id: z.string().openapi({ example: "msg_0123456789abcdef0123456789abcdef" }),
    event: eventType,
    instance_id: z.string().openapi(says({ en: "The event's instance", pt: "A instância do evento" })),
    status: deliveryStatus,
    http_status: z.number().int().nullable(),
    attempts: z.number().int(),
    created_at: iso,
    delivered_at: iso.nullable(),
    next_attempt_at: iso.nullable(),
    last_error: z.string().nullable(),
  })
  .openapi("Delivery");

export const DeliveryDetail = Delivery.extend({
  request_body: z
    .string()
    .nullable()
    .openapi(
      says({
        en: "The body of every attempt; null if it is no longer stored, or if the key lacks the scope `manage` and the event is `instance.qr`",
        pt: "O corpo de cada tentativa; null se não está mais guardado, ou se a chave não tem o escopo `manage` e o evento é `instance.qr`",
      }),
    ),
  attempt_log: z.array(
    z.object({ at: iso, http_status: z.number().int().nullable(), latency_ms: z.number(), error: z.string().nullable() }),
  ),
}).openapi("DeliveryDetail");

export const TestResult = z
  .object({ http_status: z.number().int().nullable(), latency_ms: z.number(), error: z.string().nullable() })
  .openapi("WebhookTest");

/** Omits the secret, which must not be stored for replays. Headers may contain credentials too, so they are optional. */
export function renderWebhook(row: AccountWebhook, withHeaders: boolean): z.input<typeof Webhook> {
  const { id, userId, url, events, description, instanceId, headers, retryCount, timeoutMs, isActive } = row;
  return {
    id,
    user_id: userId,
    url,
    events,
    description,
    instance_id: instanceId,
    ...(withHeaders ? { headers } : {}),
    retry_count: retryCount,
    timeout_ms: timeoutMs,
    is_active: isActive,
    created_at: isoOfMs(row.createdAt),
    updated_at: isoOfMs(row.updatedAt),
  };
}

const SHOWN_AS = { pending: "pending", delivered: "delivered", failed: "failed", skipped: "failed" } as const;

export function renderDelivery(record: WithConnection<DeliveryRecord>): z.input<typeof Delivery> {
  const { id, event, instance, status, http_status, attempts } = record;
  return {
    id,
    event,
    instance_id: instance,
    status: SHOWN_AS[status],
    http_status,
    attempts,
    created_at: isoOfMs(record.created_at),
    delivered_at: isoOfMsOrNull(record.delivered_at),
    next_attempt_at: isoOfMsOrNull(record.next_attempt_at),
    last_error: deliveryErrorText(record.last_error),
  };
}

/** `withBody` means that the caller may read the event. */
export function renderDeliveryDetail(record: WithConnection<Detail>, withBody: boolean): z.input<typeof DeliveryDetail> {
  return {
    ...renderDelivery(record),
    request_body: withBody ? record.request_body : null,
    attempt_log: record.attempt_log.map(({ at, error, ...made }) => ({ at: isoOfMs(at), ...made, error: deliveryErrorText(error) })),
  };
}

export function storedStatuses(shown: z.input<typeof Delivery>["status"]): DeliveryRecord["status"][] {
  return shown === "failed" ? ["failed", "skipped"] : [shown];
}
