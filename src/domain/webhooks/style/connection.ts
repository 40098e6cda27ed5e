// The webhook style of the Connection API. Phones are digits or null, and `timestamp` is in Unix seconds.
import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import type { Restriction } from "@gateway/protocol/events.ts";
import type { MessageRecord } from "@gateway/protocol/records.ts";
import { CONNECTION_EVENTS } from "../connection-events.ts";
import { DISABLE_AFTER_MS } from "../delivery.ts";
import { colorHex } from "../../colors.ts";
import { STANDARD_WEBHOOKS } from "../signature.ts";
import { mediaUrl, recipientDigits, textOf, errorOnConnection } from "./send-failures.ts";
import type { EventData, RenderedEvent, EventRenderers, RenderContext, WebhookStyle } from "./style.ts";
import { actorDigits, banOf, digits, isGroup } from "./values.ts";
import { isoOfMs, isoOfSeconds } from "../../iso-times.ts";

const single = (type: string, data: EventData): readonly RenderedEvent[] => [{ type, data }];

function messageData(message: MessageRecord, context: RenderContext): EventData {
  return {
    is_group: isGroup(message.chat_id),
    type: message.type,
    text: textOf(message),
    media: message.media === null ? null : { url: mediaUrl(message, context.appUrl), mimetype: message.media.mimetype },
    ...(message.selected !== null && { selected: message.selected }),
    quoted: message.quoted === null ? null : { message_id: message.quoted.message_id, text: message.quoted.text },
    mentions: message.mentions.map(digits).filter((phone) => phone !== null),
    timestamp: message.timestamp,
  };
}

/** Shows `connecting` as a drop, because that is what it means to customers (docs/internals/statuses.md, "Statuses of an instance"). */
function shownStatus(status: InstanceStatus): InstanceStatus {
  return status === "connecting" ? "disconnected" : status;
}

/** Fields named `*_at` are ISO 8601. Only `timestamp` is a number (docs/use/apis.md, "Ids, phones and times"). */
function restrictionOf(restriction: Restriction | null): EventData | null {
  if (restriction === null) return null;
  const { type, enforcement, ends_at, detected_at } = restriction;
  return { type, enforcement, ends_at: ends_at === null ? null : isoOfSeconds(ends_at), detected_at: isoOfSeconds(detected_at) };
}

const RENDERERS: EventRenderers = {
  "message.received": ({ message }, context) =>
    single("message.received", {
      message_id: message.message_id,
      chat_id: message.chat_id,
      from: actorDigits(false, message.sender, message.chat_id, context.instance),
      ...messageData(message, context),
      push_name: message.push_name,
    }),
  "message.sent": ({ message }, context) =>
    single("message.sent", {
      message_id: message.message_id,
      chat_id: message.chat_id,
      to: recipientDigits(message.chat_id, message.recipient),
      ...messageData(message, context),
      reference: message.reference,
      source: message.source,
    }),
  "message.status": (event) =>
    single("message.status", {
      message_id: event.message_id,
      chat_id: event.chat_id,
      to: recipientDigits(event.chat_id, event.recipient),
      is_group: event.is_group,
      status: event.status,
      ...(event.is_group && { phone: digits(event.participant) }),
      ...(event.status === "failed" && { error: errorOnConnection(event.failure) }),
      timestamp: event.timestamp,
    }),
  "instance.status": (event) => {
    const isDrop = event.previous_status === "connected";
    if (event.status === "connecting" && !isDrop && event.reason !== "passkey_wanted") return [];
    return single("instance.status", {
      status: shownStatus(event.status),
      previous_status: shownStatus(event.previous_status),
      reason: event.reason,
      restriction: restrictionOf(event.restriction),
      ban: banOf(event.ban),
      phone: event.phone,
      timestamp: event.timestamp,
    });
  },
  "instance.qr": () => [],
  "contact.created": () => [],
  "message.reaction": (event, { instance }) =>
    single("message.reaction", {
      message_id: event.message_id,
      chat_id: event.chat_id,
      from: actorDigits(event.from_me, event.sender, event.chat_id, instance),
      is_group: isGroup(event.chat_id),
      from_me: event.from_me,
      reaction: event.reaction,
      timestamp: event.timestamp,
    }),
  "message.edited": (event, { instance }) =>
    single("message.edited", {
      message_id: event.message_id,
      chat_id: event.chat_id,
      from: actorDigits(event.from_me, event.sender, event.chat_id, instance),
      is_group: isGroup(event.chat_id),
      from_me: event.from_me,
      text: event.text,
      timestamp: event.timestamp,
    }),
  "message.deleted": (event, { instance }) =>
    single("message.deleted", {
      message_id: event.message_id,
      chat_id: event.chat_id,
      from: event.from_me ? instance.phone : digits(event.author),
      by: digits(event.by),
      is_group: isGroup(event.chat_id),
      from_me: event.from_me,
      timestamp: event.timestamp,
    }),
  "poll.vote": (event, { instance }) =>
    single("poll.vote", {
      message_id: event.message_id,
      chat_id: event.chat_id,
      from: actorDigits(event.from_me, event.voter, event.chat_id, instance),
      is_group: isGroup(event.chat_id),
      options: event.options,
      timestamp: event.timestamp,
    }),
  "group.participants": (event, { instance }) =>
    single("group.participants", {
      chat_id: event.chat_id,
      action: event.action,
      participants: event.participants.map(({ person, is_me }) => ({
        phone: is_me ? (digits(person) ?? instance.phone) : digits(person),
        is_me,
      })),
      by: digits(event.by),
      reason: event.reason === "created" ? "added" : event.reason,
      timestamp: event.timestamp,
    }),
  "group.updated": (event) =>
    single("group.updated", { chat_id: event.chat_id, by: digits(event.by), changed: event.changed, timestamp: event.timestamp }),
  // A call that ends without being answered emits nothing (docs/use/events.md, "Connection API events").
  call: (event, { instance }) =>
    event.status === "ended"
      ? []
      : single("call", {
          call_id: event.call_id,
          chat_id: event.chat_id,
          from: actorDigits(false, event.from, event.chat_id, instance),
          is_video: event.is_video,
          is_group: event.is_group,
          status: event.status,
          timestamp: event.timestamp,
        }),
  presence: (event) =>
    single("presence", {
      chat_id: event.chat_id,
      phone: digits(event.person),
      is_group: isGroup(event.chat_id),
      presence: event.presence,
      last_seen: event.last_seen,
      timestamp: event.timestamp,
    }),
  "label.updated": (event) =>
    single("label.updated", {
      label_id: event.label_id,
      name: event.name,
      color: event.color,
      color_hex: colorHex(event.color),
      timestamp: event.timestamp,
    }),
  "label.deleted": (event) => single("label.deleted", { label_id: event.label_id, name: event.name, timestamp: event.timestamp }),
  "label.chat": (event) =>
    single(event.labelled ? "label.chat.added" : "label.chat.removed", {
      label_id: event.label_id,
      name: event.name,
      chat_id: event.chat_id,
      phone: event.phone,
      timestamp: event.timestamp,
    }),
};

export const CONNECTION_STYLE: WebhookStyle = {
  name: "connection",
  eventTypes: CONNECTION_EVENTS,
  renderers: RENDERERS,
  test: (at) => ({ message: "Este é um evento de teste.", timestamp: Math.floor(at / 1_000) }),
  envelope: (type, at, data, ref) => ({
    type,
    created_at: isoOfMs(at),
    instance: { id: ref.id, name: ref.name, phone: ref.phone },
    data,
  }),
  signing: STANDARD_WEBHOOKS,
  delaysS: [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000],
  disableAfterMs: DISABLE_AFTER_MS,
};
