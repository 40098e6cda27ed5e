// The events of the Connection API: one row per event type, so that a new type does not build without schema, description and example.
import { z } from "@hono/zod-openapi";
import { CONNECTION_EVENTS } from "@gateway/domain/webhooks/connection-events.ts";
import type { DocumentedWebhooks } from "#root/src/http/openapi/surface.ts";
import { capitalised } from "#root/src/http/openapi/webhooks.ts";
import { call, instanceStatus, labelDeleted, labelledChat, labelUpdated, presence, webhookTest } from "./connection-events.ts";
import { CONNECTION_EVENT_EXAMPLES } from "./examples.ts";
import { isoTime, phoneOrNull } from "./fields.ts";
import { groupParticipants, groupUpdated } from "./group-events.ts";
import { messageDeleted, messageEdited, messageReaction, messageReceived, messageSent, messageStatus, pollVote } from "./message-events.ts";

/** `webhook.test` is delivered too, and cannot be subscribed to. */
export const CONNECTION_EVENT_TYPES = [...CONNECTION_EVENTS, "webhook.test"] as const;
export type ConnectionEventType = (typeof CONNECTION_EVENT_TYPES)[number];

/** `when`: completes "Sent when …". */
type EventRow = { when: string; data: z.ZodType };

const ROWS = {
  "message.received": { when: "a message arrived, in a group too (`is_group`)", data: messageReceived },
  "message.sent": { when: "a message left the number, through the dashboard, the API or the phone", data: messageSent },
  "message.status": { when: "a sent message was delivered, read, played, or failed", data: messageStatus },
  "instance.status": { when: "the connection connected, dropped, failed or needs a QR scan", data: instanceStatus },
  "message.reaction": { when: "a reaction was added or removed", data: messageReaction },
  "message.edited": { when: "a message was edited", data: messageEdited },
  "message.deleted": { when: "a message was deleted for everyone", data: messageDeleted },
  "group.participants": { when: "somebody joined, left, was promoted or demoted, perhaps the number itself", data: groupParticipants },
  "group.updated": { when: "name, description, picture or settings of a group changed", data: groupUpdated },
  call: { when: "a call came in, or was answered or rejected on another device", data: call },
  "poll.vote": { when: "somebody voted in a poll that the number sent", data: pollVote },
  presence: {
    when: "somebody in a subscribed chat went online or offline, or is typing or recording; off by default",
    data: presence,
  },
  "label.updated": { when: "a label was created or edited", data: labelUpdated },
  "label.deleted": { when: "a label was deleted", data: labelDeleted },
  "label.chat.added": { when: "a label was added to a chat", data: labelledChat },
  "label.chat.removed": { when: "a label was removed from a chat", data: labelledChat },
  "webhook.test": { when: "the owner has asked for a test in the dashboard", data: webhookTest },
} as const satisfies Record<ConnectionEventType, EventRow>;

const instance = z
  .strictObject({
    id: z.int().positive().openapi({ description: "Number of the connection" }),
    name: z.string().min(1).openapi({ description: "Name of the connection" }),
    phone: phoneOrNull("Its phone number, digits only; null while none is paired"),
  })
  .openapi({ description: "The connection it happened to" });

/** The whole body of a delivery. */
export function connectionEventSchema<T extends ConnectionEventType>(type: T) {
  return z.strictObject({
    id: z
      .string()
      .regex(/^msg_[0-9a-z]{8,}$/)
      .openapi({ description: "Id of the delivery, the same on every attempt and in the header `webhook-id`: deduplicate on it" }),
    type: z.literal(type).openapi({ description: "The event" }),
    created_at: isoTime("When it happened, in UTC: sort by it"),
    instance,
    data: (ROWS[type].data as (typeof ROWS)[T]["data"]).openapi({ description: "What happened" }),
  });
}

export const CONNECTION_WEBHOOKS: DocumentedWebhooks = {
  events: CONNECTION_EVENT_TYPES.map((type) => ({
    type,
    summary: `Sent when ${ROWS[type].when}.`,
    schema: connectionEventSchema(type).openapi(`Connection${capitalised(type)}Event`, { description: `Sent when ${ROWS[type].when}.` }),
    example: CONNECTION_EVENT_EXAMPLES[type],
  })),
  headers: [
    { name: "webhook-id", required: true, description: "The `id` of the body.", example: "msg_5f0c1d2e9b8a7c6d5e4f3a2b1c0d9e8f" },
    { name: "webhook-timestamp", required: true, description: "Unix seconds: when this attempt was signed.", example: "1795176000" },
    {
      name: "webhook-signature",
      required: true,
      description:
        "One or more `v1,<base64>`, separated by spaces: HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` (Standard Webhooks). There are two during the 24 hours after the secret was rotated.",
      example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    },
  ],
  accepted: "Accepted. It has to come within 10 seconds; its body is ignored.",
  failed:
    "Everything else is a failed attempt: another status, a redirect, or no answer within 10 seconds. Attempts follow after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, with the same `webhook-id`. After 72 hours without an accepted delivery the webhook is disabled.",
};
