import * as z from "zod";
import { done, list, one, page, time, timeOrNull, type ContractRow } from "./common.ts";

const Webhook = z.strictObject({
  url: z.string(),
  events: z.array(z.string()),
  status: z.enum(["active", "disabled"]),
  disabled_at: timeOrNull,
  last_success_at: timeOrNull,
  created_at: time,
  /** Time of the first failure since the last success. */
  failing_since: timeOrNull,
  /** When the webhook will be disabled unless an attempt succeeds. */
  disables_at: timeOrNull,
  /** Until this time, deliveries are also signed with the previous secret. */
  previous_secret_until: timeOrNull,
  /** True if the webhook is disabled and has accepted a test delivery since then. */
  can_reactivate: z.boolean(),
  /** Event types that were added after `events` was chosen. */
  new_events: z.array(z.string()),
});

const TestMessage = z.strictObject({ headers: z.record(z.string(), z.string()), body: z.string() });

/** Present only on creation, and null when an Idempotency-Key is repeated. */
const secret = z.string().nullable();

const Delivery = z.strictObject({
  id: z.string(),
  event: z.string(),
  status: z.enum(["pending", "delivered", "failed", "skipped"]),
  http_status: z.number().int().nullable(),
  attempts: z.number().int(),
  last_error: z.string().nullable(),
  created_at: time,
  delivered_at: timeOrNull,
  next_attempt_at: timeOrNull,
});

const DeliveryDetail = Delivery.extend({
  request_body: z.string().nullable(),
  attempt_log: z.array(
    z.strictObject({ at: time, http_status: z.number().int().nullable(), latency_ms: z.number(), error: z.string().nullable() }),
  ),
});

/** `id` is null for the connection's own webhook. `url` omits the query, which may contain a secret. `last_success_at` covers 7 days. */
const Receiver = z.strictObject({
  id: z.string().nullable(),
  url: z.string(),
  is_active: z.boolean(),
  last_success_at: timeOrNull,
  deliveries: z.array(Delivery),
});

export const WEBHOOK_CONTRACT = {
  /** Returns null instead of 404, because a 404 would appear as an error in the browser's console. */
  "GET /connections/{id}/webhook": { response: one(Webhook.nullable()) },
  /** Without `events`, a new webhook gets all types except `presence`, and an existing one keeps its types. */
  "PUT /connections/{id}/webhook": {
    body: z.strictObject({ url: z.string().min(1).max(2048), events: z.array(z.string().max(64)).max(64).nullish() }),
    response: one(Webhook.extend({ secret: secret.optional() })),
  },
  "DELETE /connections/{id}/webhook": { response: done },
  "POST /connections/{id}/webhook/test": {
    response: one(
      z.strictObject({
        http_status: z.number().int().nullable(),
        latency_ms: z.number(),
        error: z.string().nullable(),
        /** Null if nothing was sent, or if this is the replay for a repeated Idempotency-Key. */
        request: TestMessage.nullable(),
        response: TestMessage.nullable(),
      }),
    ),
  },
  "POST /connections/{id}/webhook/rotate": { response: one(z.strictObject({ secret })) },
  "POST /connections/{id}/webhook/reactivate": { response: one(Webhook) },
  "POST /connections/{id}/webhook/resend": {
    body: z.strictObject({ since: z.iso.datetime({ offset: true }) }),
    response: one(z.strictObject({ count: z.number().int() })),
  },
  "GET /connections/{id}/webhook/deliveries": {
    query: z.object({
      status: Delivery.shape.status.optional(),
      event: z.string().max(64).optional(),
      limit: z.coerce.number().int().min(1).max(100).default(20),
      cursor: z
        .string()
        .regex(/^\d{1,16}$/)
        .optional(),
    }),
    response: page(Delivery),
  },
  "GET /connections/{id}/deliveries/{delivery_id}": { response: one(DeliveryDetail) },
  /** The request that an attempt would send now, so that users can test their own server. */
  "POST /connections/{id}/deliveries/{delivery_id}/signed": {
    response: one(z.strictObject({ headers: z.record(z.string(), z.string()), body: z.string() })),
  },
  "POST /connections/{id}/deliveries/{delivery_id}/resend": { response: done },
  /** Receivers of the instance's events, the connection's own first, each with its newest deliveries that were not accepted. */
  "GET /admin/instances/{instance_id}/webhooks": { response: list(Receiver) },
} as const satisfies Record<string, ContractRow>;
