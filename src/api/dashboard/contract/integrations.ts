// What programs use: the connection's keys, its webhook, and the webhook's deliveries.
import { z } from "zod";
import { done, list, name, one, page, time, timeOrNull } from "./common.ts";
import type { ContractRow } from "./row.ts";

const Key = z.strictObject({ id: z.string(), name: z.string(), prefix: z.string(), created_at: time, last_used_at: timeOrNull });

/** `key` is null when a repeated Idempotency-Key asks for it again: it is shown once. */
const NewKey = Key.omit({ last_used_at: true }).extend({ key: z.string().nullable() });

export const KEY_CONTRACT = {
  "GET /connections/{id}/keys": { response: list(Key) },
  "POST /connections/{id}/keys": { body: z.strictObject({ name }), response: one(NewKey) },
  "DELETE /connections/{id}/keys/{key_id}": { response: done },
} as const satisfies Record<string, ContractRow>;

const Webhook = z.strictObject({
  url: z.string(),
  events: z.array(z.string()),
  status: z.enum(["active", "disabled"]),
  disabled_at: timeOrNull,
  last_success_at: timeOrNull,
  created_at: time,
  /** Since when attempts fail and none was accepted. */
  failing_since: timeOrNull,
  /** When the next failure disables it, as things stand. */
  disables_at: timeOrNull,
  /** Until when the secret before the last rotation signs too. */
  previous_secret_until: timeOrNull,
  /** It is disabled, and a test was accepted since. */
  can_reactivate: z.boolean(),
  /** Event types that were added since `events` were chosen. */
  new_events: z.array(z.string()),
});

/** One side of a test's exchange. */
const TestMessage = z.strictObject({ headers: z.record(z.string(), z.string()), body: z.string() });

/** Shown on creation only, and null when a repeated Idempotency-Key asks for it again. */
const secret = z.string().nullable();

export const WEBHOOK_CONTRACT = {
  /** null: there is none. A page asks for it to learn that, so it is no error on the browser's console. */
  "GET /connections/{id}/webhook": { response: one(Webhook.nullable()) },
  /** `events` absent: all but `presence` on creation, unchanged later. */
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
        /** null: nothing was sent, or a repeated Idempotency-Key asks for it again. */
        request: TestMessage.nullable(),
        /** `body`: its first 2 KB. */
        response: TestMessage.nullable(),
      }),
    ),
  },
  "POST /connections/{id}/webhook/rotate": { response: one(z.strictObject({ secret })) },
  "POST /connections/{id}/webhook/reactivate": { response: one(Webhook) },
  /** Every failed delivery since then is sent again, with the same ids. */
  "POST /connections/{id}/webhook/resend": {
    body: z.strictObject({ since: z.iso.datetime({ offset: true }) }),
    response: one(z.strictObject({ count: z.number().int() })),
  },
} as const satisfies Record<string, ContractRow>;

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

/** `request_body` null: it is no longer stored. */
const DeliveryDetail = Delivery.extend({
  request_body: z.string().nullable(),
  attempt_log: z.array(
    z.strictObject({ at: time, http_status: z.number().int().nullable(), latency_ms: z.number(), error: z.string().nullable() }),
  ),
});

export const DELIVERY_CONTRACT = {
  /** Newest first, of 7 days. */
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
  /** Body and headers of an attempt that would begin now, for a server of one's own. */
  "POST /connections/{id}/deliveries/{delivery_id}/signed": {
    response: one(z.strictObject({ headers: z.record(z.string(), z.string()), body: z.string() })),
  },
  /** With the same id. */
  "POST /connections/{id}/deliveries/{delivery_id}/resend": { response: done },
} as const satisfies Record<string, ContractRow>;
