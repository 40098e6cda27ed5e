import * as z from "zod";
import { DeliveryDetail, DeliveryPage, DeliveryQuery, WebhookTestResult, WebhookFacts } from "../records.ts";
import { BOTH_KINDS, nothing, type OperationRow } from "./row.ts";

const TestMessage = z.object({ headers: z.record(z.string(), z.string()), body: z.string() });

export const WEBHOOK_OPERATIONS = {
  "webhook.get": { role: "viewer", kinds: BOTH_KINDS, input: nothing, output: WebhookFacts },
  /** With null `events`, a new webhook gets all but `presence`, and an existing one keeps its own. Only creation returns `secret`. */
  "webhook.put": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ url: z.string(), events: z.array(z.string()).nullable() }),
    output: WebhookFacts.extend({ created: z.boolean(), secret: z.string().nullable() }),
    shownOnce: ["secret"],
  },
  "webhook.delete": { role: "owner", kinds: BOTH_KINDS, input: nothing, output: nothing },
  "webhook.test": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: nothing,
    output: WebhookTestResult.extend({
      request: TestMessage.nullable(),
      /** `body` is the first 2 KB of the response body. */
      response: TestMessage.nullable(),
    }),
    // Shown only to the caller, and not stored.
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
  /** A delivery's body, signed with the current time, so that users can send it to a test server. Fails with `delivery_not_found`. */
  "webhook.signed": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ id: z.string() }),
    output: z.object({ headers: z.record(z.string(), z.string()), body: z.string() }),
  },
  "webhook.resend": { role: "owner", kinds: BOTH_KINDS, input: z.object({ id: z.string() }), output: nothing },
  "webhook.resend_failed": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ since: z.number().int() }),
    output: z.object({ count: z.number().int() }),
  },
} as const satisfies Record<string, OperationRow>;

/** If `events` is null, the listener gets all types of the style. */
const newListener = { name: z.string(), events: z.array(z.string()).nullable() };

export const LISTENER_OPERATIONS = {
  /** Fails with `listener_limit`. */
  "listeners.create": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: z.object({ style: z.enum(["account", "connection"]), ...newListener }),
    output: z.object({ id: z.string(), ...newListener, expires_at: z.number().int() }),
  },
  /** Extends the lease before the stream opens. Fails with `listener_not_found`, including when another key owns the listener. */
  "listeners.open": { role: "viewer", kinds: BOTH_KINDS, input: z.object({ id: z.string() }), output: nothing },
  "listeners.remove": { role: "viewer", kinds: BOTH_KINDS, input: z.object({ id: z.string() }), output: nothing },
} as const satisfies Record<string, OperationRow>;

const ofSession = { session: z.string() };
const showsText = z.object({ shows_text: z.boolean().nullable() });

/** Notifications for a session's browser. `shows_text` tells whether they show the message's text, and null means no notifications. */
export const NOTIFICATION_OPERATIONS = {
  "notifications.get": { role: "viewer", kinds: BOTH_KINDS, input: z.object(ofSession), output: showsText },
  "notifications.set": { role: "viewer", kinds: BOTH_KINDS, input: showsText.extend(ofSession), output: showsText },
} as const satisfies Record<string, OperationRow>;

const endpoint = { endpoint_id: z.string() };

export const ENDPOINT_OPERATIONS = {
  "endpoints.test": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object(endpoint),
    output: WebhookTestResult,
  },
  "endpoints.deliveries": { role: "owner", kinds: BOTH_KINDS, input: DeliveryQuery.extend(endpoint), output: DeliveryPage },
  "endpoints.delivery": { role: "owner", kinds: BOTH_KINDS, input: z.object({ ...endpoint, id: z.string() }), output: DeliveryDetail },
  /** Fails with `webhook_inactive` while the endpoint is switched off. */
  "endpoints.resend": { role: "owner", kinds: BOTH_KINDS, input: z.object({ ...endpoint, id: z.string() }), output: nothing },
  /** Resends all failed deliveries of the period (Unix ms). If `until` is null, the period ends now. */
  "endpoints.resend_failed": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ ...endpoint, since: z.number().int(), until: z.number().int().nullable() }),
    output: z.object({ count: z.number().int() }),
  },
} as const satisfies Record<string, OperationRow>;
