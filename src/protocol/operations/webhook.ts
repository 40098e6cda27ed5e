// The connection's own webhook and its deliveries.
import { z } from "zod";
import { DeliveryDetail, DeliveryPage, DeliveryQuery, TestAnswer, WebhookFacts } from "../records.ts";
import { BOTH_KINDS } from "./kinds.ts";
import { nothing, type OperationRow } from "./row.ts";

/** One side of a test's exchange. */
const TestMessage = z.object({ headers: z.record(z.string(), z.string()), body: z.string() });

export const WEBHOOK_OPERATIONS = {
  "webhook.get": { role: "viewer", kinds: BOTH_KINDS, input: nothing, output: WebhookFacts },
  /** `events` null: all but `presence` on creation, unchanged later. `secret` is null when it is no creation, or was shown before. */
  "webhook.put": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ url: z.string(), events: z.array(z.string()).nullable() }),
    // Answers stored before there was `created` held no secret that may be shown again.
    output: WebhookFacts.extend({ created: z.boolean().default(false), secret: z.string().nullable() }),
    shownOnce: ["secret"],
  },
  "webhook.delete": { role: "owner", kinds: BOTH_KINDS, input: nothing, output: nothing },
  "webhook.test": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: nothing,
    output: TestAnswer.extend({
      request: TestMessage.nullable().default(null),
      /** `body`: its first 2 KB. */
      response: TestMessage.nullable().default(null),
    }),
    // Shown to whoever tests, and stored nowhere.
    shownOnce: ["request", "response"],
  },
  "webhook.rotate": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: nothing,
    output: z.object({ secret: z.string().nullable() }),
    shownOnce: ["secret"],
  },
  "webhook.reactivate": { role: "owner", kinds: BOTH_KINDS, input: nothing, output: WebhookFacts },
  "webhook.deliveries": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: DeliveryQuery,
    output: DeliveryPage,
  },
  "webhook.delivery": { role: "viewer", kinds: BOTH_KINDS, input: z.object({ id: z.string() }), output: DeliveryDetail },
  /** The body of a delivery, signed as an attempt of now would be; for sending it to a server of one's own. Fails `delivery_not_found`. */
  "webhook.signed": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ id: z.string() }),
    output: z.object({ headers: z.record(z.string(), z.string()), body: z.string() }),
  },
  "webhook.resend": { role: "owner", kinds: BOTH_KINDS, input: z.object({ id: z.string() }), output: nothing },
  /** All failed deliveries since then (Unix ms). */
  "webhook.resend_failed": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ since: z.number().int() }),
    output: z.object({ count: z.number().int() }),
  },
} as const satisfies Record<string, OperationRow>;
