// The events of the Account API: one row per event type, so that a new type does not build without schema, description and example.
import { z } from "@hono/zod-openapi";
import { ACCOUNT_EVENTS } from "@gateway/domain/webhooks/style/account.ts";
import type { DocumentedWebhooks } from "#root/src/http/openapi/surface.ts";
import { capitalised } from "#root/src/http/openapi/webhooks.ts";
import { ACCOUNT_EVENT_EXAMPLES } from "./examples.ts";
import { isoTime } from "./fields.ts";
import {
  contactCreated,
  groupJoined,
  groupLeft,
  instanceConnected,
  instanceDisconnected,
  instanceQr,
  webhookTest,
} from "./instance-events.ts";
import { messageDelivered, messageFailed, messageReaction, messageRead, messageReceived, messageSent } from "./message-events.ts";

/** `webhook.test` is delivered too, and cannot be subscribed to. */
export const ACCOUNT_EVENT_TYPES = [...ACCOUNT_EVENTS, "webhook.test"] as const;
export type AccountEventType = (typeof ACCOUNT_EVENT_TYPES)[number];

/** `when`: completes "Sent when …". */
type EventRow = { when: string; data: z.ZodType };

const ROWS = {
  "message.received": { when: "a message arrived", data: messageReceived },
  "message.sent": { when: "a message of the number was sent, through the API, the dashboard or a phone", data: messageSent },
  "message.delivered": { when: "a sent message reached the recipient's device", data: messageDelivered },
  "message.read": { when: "a sent message was read", data: messageRead },
  "message.failed": { when: "a message could not be sent", data: messageFailed },
  "message.reaction": { when: "somebody reacted to a message, or took the reaction back", data: messageReaction },
  "instance.connected": { when: "an instance connected", data: instanceConnected },
  "instance.disconnected": { when: "an instance lost its connection", data: instanceDisconnected },
  "instance.qr": { when: "there is a new QR code to scan", data: instanceQr },
  "contact.created": { when: "a contact was saved, or seen for the first time", data: contactCreated },
  "group.joined": { when: "somebody joined a group, perhaps the number itself", data: groupJoined },
  "group.left": { when: "somebody left a group", data: groupLeft },
  "webhook.test": { when: "a test of the endpoint was asked for", data: webhookTest },
} as const satisfies Record<AccountEventType, EventRow>;

/** The whole body of a delivery. */
export function accountEventSchema<T extends AccountEventType>(type: T) {
  return z.strictObject({
    id: z
      .string()
      .regex(/^msg_[0-9a-z]{8,}$/)
      .openapi({ description: "Id of the delivery, the same on every attempt: deduplicate on it" }),
    event: z.literal(type).openapi({ description: "The event" }),
    instance_id: z.uuid().openapi({ description: "Id of the instance it happened to" }),
    timestamp: isoTime("When it happened, in UTC"),
    data: (ROWS[type].data as (typeof ROWS)[T]["data"]).openapi({ description: "What happened" }),
  });
}

export const ACCOUNT_WEBHOOKS: DocumentedWebhooks = {
  events: ACCOUNT_EVENT_TYPES.map((type) => ({
    type,
    summary: `Sent when ${ROWS[type].when}.`,
    schema: accountEventSchema(type).openapi(`Account${capitalised(type)}Event`, { description: `Sent when ${ROWS[type].when}.` }),
    example: ACCOUNT_EVENT_EXAMPLES[type],
  })),
  headers: [
    {
      name: "X-Service-Signature",
      required: false,
      description: "Hex HMAC-SHA256 of the body with the endpoint's `secret`. Absent when the endpoint has none.",
      example: "5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592",
    },
  ],
  accepted: "Accepted. It has to come within the endpoint's `timeout_ms` (5 seconds unless set); its body is ignored.",
  failed:
    "Everything else is a failed attempt: another status, a redirect, or no answer in time. Up to `retry_count` attempts (3 unless set) follow, after 10 s, 60 s, 5 min, 30 min and 2 h, with the same `id`.",
};
