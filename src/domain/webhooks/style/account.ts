// The webhook style of the Account API. People are `<phone>@<network_suffix>` or null, and times are ISO 8601.
import { chatIdOf, type Person } from "@gateway/protocol/ids.ts";
import type { MessageRecord } from "@gateway/protocol/records.ts";
import type { GatewayEvent } from "../../gateway-event.ts";
import { SERVICE_SIGNATURE } from "../signature.ts";
import { mediaUrl, recipientDigits, textOf, errorOnAccount } from "./send-failures.ts";
import type { EventData, RenderedEvent, EventRenderers, RenderContext, WebhookStyle } from "./style.ts";
import { actorDigits, banOf, digits, isGroup, networkId } from "./values.ts";
import { isoOfMs, isoOfSeconds } from "../../iso-times.ts";

export const ACCOUNT_EVENTS = [
  "message.received",
  "message.sent",
  "message.delivered",
  "message.read",
  "message.failed",
  "message.reaction",
  "instance.connected",
  "instance.disconnected",
  "instance.qr",
  "contact.created",
  "group.joined",
  "group.left",
] as const;

const single = (type: string, data: EventData): readonly RenderedEvent[] => [{ type, data }];

const personId = (person: Person | null, context: RenderContext): string | null => networkId(digits(person), context.networkSuffix);

function mediaOf(message: MessageRecord, context: RenderContext): EventData | null {
  if (message.media === null) return null;
  const { mimetype, filename, size, duration_seconds, width, height } = message.media;
  return { url: mediaUrl(message, context.appUrl), mimetype, filename, size, duration_seconds, width, height };
}

function quotedOf(message: MessageRecord, context: RenderContext): EventData | null {
  if (message.quoted === null) return null;
  const { message_id, from, from_me, text, type } = message.quoted;
  return { message_id, from: networkId(from_me ? context.instance.phone : digits(from), context.networkSuffix), text, type };
}

const receivedOf = (message: MessageRecord, context: RenderContext): EventData => {
  const from = networkId(actorDigits(false, message.sender, message.chat_id, context.instance), context.networkSuffix);
  return {
    message_id: message.message_id,
    chat_id: message.chat_id,
    from,
    type: message.type,
    text: textOf(message),
    timestamp: isoOfSeconds(message.timestamp),
    is_group: isGroup(message.chat_id),
    participant: isGroup(message.chat_id) ? from : null,
    push_name: message.push_name,
    media: mediaOf(message, context),
    location: message.location,
    contacts: message.contacts,
    poll: message.poll,
    selected: message.selected,
    quoted: quotedOf(message, context),
    mentions: message.mentions.map((person) => personId(person, context)).filter((id) => id !== null),
    forwarded: message.forwarded,
    view_once: message.view_once,
  };
};

const sentOf = (message: MessageRecord, context: RenderContext): EventData => ({
  message_id: message.message_id,
  chat_id: message.chat_id,
  to: networkId(recipientDigits(message.chat_id, message.recipient), context.networkSuffix),
  type: message.type,
  text: textOf(message),
  source: message.source,
  reference: message.reference,
  media: mediaOf(message, context),
  quoted: quotedOf(message, context),
  timestamp: isoOfSeconds(message.timestamp),
});

/** `played` implies `read`. Whichever arrives first is reported, as the only `message.read` event. */
const STATUS_EVENTS = { delivered: "delivered", read: "read", played: "read", failed: "failed" } as const;

function statusOf(event: Extract<GatewayEvent, { type: "message.status" }>, context: RenderContext): readonly RenderedEvent[] {
  const status = STATUS_EVENTS[event.status];
  const data = {
    message_id: event.message_id,
    chat_id: event.chat_id,
    status,
    to: networkId(recipientDigits(event.chat_id, event.recipient), context.networkSuffix),
    ...(status === "failed"
      ? { error: errorOnAccount(event.failure) }
      : { participant: event.is_group ? personId(event.participant, context) : null }),
    reference: event.reference,
    timestamp: isoOfSeconds(event.timestamp),
  };
  return [{ type: `message.${status}`, data, ...(status === "read" && { dedupeKey: `read:${event.chat_id}:${event.message_id}` }) }];
}

const MEMBERSHIP: Readonly<Record<string, string>> = { join: "group.joined", leave: "group.left" };

/** One event per participant. Promotions and demotions emit no event. */
function membershipOf(event: Extract<GatewayEvent, { type: "group.participants" }>, context: RenderContext): readonly RenderedEvent[] {
  const type = MEMBERSHIP[event.action];
  if (type === undefined) return [];
  return event.participants.map(({ person, is_me }) => {
    const phone = digits(person) ?? (is_me ? context.instance.phone : null);
    return {
      type,
      data: {
        group_id: event.chat_id,
        participant: networkId(phone, context.networkSuffix),
        by: personId(event.by, context),
        is_me,
        reason: event.reason,
      },
    };
  });
}

/** Emits `instance.connected` on each connect, and `instance.disconnected` when a connected instance drops or ends. */
function instanceOf(event: Extract<GatewayEvent, { type: "instance.status" }>, { instance }: RenderContext): readonly RenderedEvent[] {
  const { status, previous_status: previous, phone } = event;
  if (status === "scan_qr" || (status === "connected" && previous === "connected")) return [];
  if (status === "connecting" && previous !== "connected") return [];
  if (status === "connected") {
    return single("instance.connected", {
      instance_id: instance.uuid,
      status,
      phone_number: phone ?? instance.phone,
      profile_name: event.profile_name,
    });
  }
  return single("instance.disconnected", {
    instance_id: instance.uuid,
    status,
    reason: event.reason,
    phone_number: phone,
    ban: banOf(event.ban),
    will_reconnect: event.will_reconnect,
    timestamp: isoOfSeconds(event.timestamp),
  });
}

const RENDERERS: Partial<EventRenderers> = {
  "message.received": ({ message }, context) => single("message.received", receivedOf(message, context)),
  "message.sent": ({ message }, context) => single("message.sent", sentOf(message, context)),
  "message.status": statusOf,
  "message.reaction": (event, context) =>
    single("message.reaction", {
      message_id: event.message_id,
      chat_id: event.chat_id,
      from: networkId(actorDigits(event.from_me, event.sender, event.chat_id, context.instance), context.networkSuffix),
      reaction: event.reaction,
      from_me: event.from_me,
      timestamp: isoOfSeconds(event.timestamp),
    }),
  "instance.status": instanceOf,
  "instance.qr": (event, { instance }) =>
    single("instance.qr", {
      instance_id: instance.uuid,
      qr: event.image,
      raw: event.raw,
      expires_at: isoOfSeconds(event.expires_at),
      attempt: event.attempt,
    }),
  "contact.created": (event) =>
    single("contact.created", {
      contact_id: chatIdOf(event.person),
      phone_number: digits(event.person),
      name: event.name,
      push_name: event.push_name,
      source: event.source,
      timestamp: isoOfSeconds(event.timestamp),
    }),
  "group.participants": membershipOf,
};

export const ACCOUNT_STYLE: WebhookStyle = {
  name: "account",
  eventTypes: ACCOUNT_EVENTS,
  renderers: RENDERERS,
  test: (at) => ({ message: "This is a test event.", timestamp: isoOfMs(at) }),
  envelope: (type, at, data, instance) => ({ event: type, instance_id: instance.uuid, timestamp: isoOfMs(at), data }),
  signing: SERVICE_SIGNATURE,
  delaysS: [10, 60, 300, 1_800, 7_200],
  disableAfterMs: null,
};
