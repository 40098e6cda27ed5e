// Complete sample events; tests override the relevant fields.
import type { GatewayEvent } from "@gateway/domain/gateway-event.ts";
import type { RenderContext } from "@gateway/domain/webhooks/style/style.ts";
import { NO_EXTRAS } from "@gateway/protocol/message.ts";
import type { MessageRecord } from "@gateway/protocol/records.ts";

export const context: RenderContext = {
  instance: { id: 7, uuid: "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b", name: "Loja", phone: "5511900000001" },
  appUrl: "https://app.example.com",
  networkSuffix: "s.whatsapp.net",
};

const ana = { phone: "5511900000002", lid: "111111111111111" };
export const unknown = { phone: null, lid: "222222222222222" };

export const message = (changes: Partial<MessageRecord> = {}): MessageRecord => ({
  message_id: "3EB0AA",
  chat_id: "5511900000002@c.us",
  from_me: false,
  sender: ana,
  recipient: null,
  push_name: "Ana",
  timestamp: 1_900_000_000,
  type: "text",
  text: "oi",
  media: null,
  ...NO_EXTRAS,
  status: null,
  failure: null,
  source: null,
  reference: null,
  starred: false,
  reactions: [],
  edited_at: null,
  deleted_at: null,
  timeline: { accepted_at: null, delivered_at: null, read_at: null, played_at: null },
  ...changes,
});

export const sent = (changes: Partial<MessageRecord> = {}): MessageRecord =>
  message({
    from_me: true,
    sender: null,
    recipient: ana,
    push_name: null,
    status: "sent",
    source: "api",
    reference: "pedido-1",
    ...changes,
  });

export const photo = {
  token: "token1",
  mimetype: "image/jpeg",
  filename: "a.jpg",
  size: 3,
  sha256: null,
  duration_seconds: null,
  width: 2,
  height: 1,
};

const chat = { chat_id: "5511900000002@c.us", timestamp: 1_900_000_001 };

/** One event of each type. */
export const EVENTS: { [T in GatewayEvent["type"]]: Extract<GatewayEvent, { type: T }> } = {
  "message.received": { type: "message.received", message: message() },
  "message.sent": { type: "message.sent", message: sent() },
  "message.status": {
    type: "message.status",
    ...chat,
    message_id: "3EB0AA",
    recipient: ana,
    is_group: false,
    participant: null,
    status: "delivered",
    failure: null,
    reference: "pedido-1",
  },
  "message.reaction": { type: "message.reaction", ...chat, message_id: "3EB0AA", from_me: false, sender: ana, reaction: "👍" },
  "message.edited": { type: "message.edited", ...chat, message_id: "3EB0AA", from_me: false, sender: ana, text: "oi!" },
  "message.deleted": { type: "message.deleted", ...chat, message_id: "3EB0AA", from_me: false, author: ana, by: ana },
  "poll.vote": { type: "poll.vote", ...chat, message_id: "3EB0AA", from_me: false, voter: ana, options: ["sim"] },
  "group.participants": {
    type: "group.participants",
    chat_id: "120363000000000001@g.us",
    action: "join",
    participants: [
      { person: ana, is_me: false },
      { person: unknown, is_me: true },
    ],
    by: ana,
    reason: "added",
    timestamp: 1_900_000_001,
  },
  "group.updated": {
    type: "group.updated",
    chat_id: "120363000000000001@g.us",
    by: ana,
    changed: { subject: "Novo" },
    timestamp: 1_900_000_001,
  },
  call: { type: "call", ...chat, call_id: "C1", from: ana, is_video: false, is_group: false, status: "received" },
  presence: { type: "presence", ...chat, person: ana, presence: "typing", last_seen: null },
  "instance.status": {
    type: "instance.status",
    status: "connected",
    previous_status: "connecting",
    reason: "ok",
    restriction: null,
    ban: null,
    phone: "5511900000001",
    profile_name: "Loja",
    will_reconnect: false,
    timestamp: 1_900_000_001,
  },
  "instance.qr": {
    type: "instance.qr",
    raw: "2@x",
    image: "data:image/png;base64,AA==",
    expires_at: 1_900_000_060,
    attempt: 1,
    timestamp: 1_900_000_001,
  },
  "label.updated": { type: "label.updated", label_id: "3", name: "VIP", color: 0, timestamp: 1_900_000_001 },
  "label.deleted": { type: "label.deleted", label_id: "3", name: "VIP", timestamp: 1_900_000_001 },
  "label.chat": { type: "label.chat", ...chat, label_id: "3", name: "VIP", phone: "5511900000002", labelled: true },
  "contact.created": { type: "contact.created", person: ana, name: "Ana", push_name: null, source: "saved", timestamp: 1_900_000_001 },
};
