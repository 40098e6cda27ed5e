// The connection's own webhook and its deliveries.
import { z } from "zod";
import { DeliveryDetail, DeliveryRecord, WebhookRecord } from "../records.ts";
import { nothing, type OperationRow } from "./row.ts";

export const WEBHOOK_OPERATIONS = {
  "webhook.get": { role: "viewer", input: nothing, output: WebhookRecord },
  /** `events` null: all but `presence` on creation, unchanged later. `secret` is null when it is no creation, or was shown before. */
  "webhook.put": {
    role: "owner",
    input: z.object({ url: z.string(), events: z.array(z.string()).nullable() }),
    // Answers stored before there was `created` held no secret that may be shown again.
    output: WebhookRecord.extend({ created: z.boolean().default(false), secret: z.string().nullable() }),
    shownOnce: ["secret"],
  },
  "webhook.delete": { role: "owner", input: nothing, output: nothing },
  "webhook.test": {
    role: "owner",
    input: nothing,
    output: z.object({ http_status: z.number().int().nullable(), latency_ms: z.number(), error: z.string().nullable() }),
  },
  "webhook.rotate": { role: "owner", input: nothing, output: z.object({ secret: z.string().nullable() }), shownOnce: ["secret"] },
  "webhook.reactivate": { role: "owner", input: nothing, output: WebhookRecord },
  "webhook.deliveries": {
    role: "viewer",
    input: z.object({ limit: z.number().int().min(1).max(100) }),
    output: z.object({ items: z.array(DeliveryRecord) }),
  },
  "webhook.delivery": { role: "viewer", input: z.object({ id: z.string() }), output: DeliveryDetail },
  "webhook.resend": { role: "owner", input: z.object({ id: z.string() }), output: nothing },
  /** All failed deliveries since then (Unix ms). */
  "webhook.resend_failed": { role: "owner", input: z.object({ since: z.number().int() }), output: z.object({ count: z.number().int() }) },
} as const satisfies Record<string, OperationRow>;
