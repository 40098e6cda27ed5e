// The account's webhook endpoints as far as this connection delivers to them (docs/account-api.md, "Webhook endpoints"). The worker
// manages them; their deliveries are stored here. All fail `webhook_not_found` for an endpoint that does not apply to this connection.
import { z } from "zod";
import { DeliveryDetail, DeliveryRecord } from "../records.ts";
import { nothing, type OperationRow } from "./row.ts";

const endpoint = { endpoint_id: z.string() };

export const ENDPOINT_OPERATIONS = {
  "endpoints.test": {
    role: "owner",
    input: z.object(endpoint),
    output: z.object({ http_status: z.number().int().nullable(), latency_ms: z.number(), error: z.string().nullable() }),
  },
  /** Newest first. `before`: older than a delivery's place, or than a time (Unix ms), inclusive or not. */
  "endpoints.deliveries": {
    role: "owner",
    input: z.object({
      ...endpoint,
      status: z.array(DeliveryRecord.shape.status).nullable(),
      event: z.string().nullable(),
      limit: z.number().int().min(1).max(100),
      before: z.union([z.object({ place: z.number().int() }), z.object({ at: z.number().int(), inclusive: z.boolean() })]).nullable(),
    }),
    output: z.object({ items: z.array(DeliveryRecord.extend({ place: z.number().int() })), more: z.boolean() }),
  },
  "endpoints.delivery": { role: "owner", input: z.object({ ...endpoint, id: z.string() }), output: DeliveryDetail },
  /** Fails `webhook_inactive` while the endpoint is switched off. */
  "endpoints.resend": { role: "owner", input: z.object({ ...endpoint, id: z.string() }), output: nothing },
  /** Resends everything that failed in the period (Unix ms; `until` null: until now). */
  "endpoints.resend_failed": {
    role: "owner",
    input: z.object({ ...endpoint, since: z.number().int(), until: z.number().int().nullable() }),
    output: z.object({ count: z.number().int() }),
  },
} as const satisfies Record<string, OperationRow>;
