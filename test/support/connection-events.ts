// The Connection API's events, every field and no other (docs/events.md, "Connection API events"). Written from the contract, not from
// the code that renders them.
import { z } from "zod";

const phone = z.string().regex(/^[1-9]\d{6,14}$/);
const who = phone.nullable();
const direct = z.string().regex(/^[1-9]\d{6,14}@c\.us$/);
const group = z.string().regex(/^[\d-]{5,40}@g\.us$/);
const chat = z.union([direct, group]);
const messageId = z.string().min(1).max(256);
const seconds = z.int().min(1_500_000_000).max(4_000_000_000);
const iso = z.iso.datetime();
const reason = z.enum(["added", "invite_link", "request_approved", "left", "removed"]).nullable();

/** Which chat, and whether it is a group; both must agree. */
const place = { chat_id: chat, is_group: z.boolean() };
const agrees = ({ chat_id, is_group }: { chat_id: string; is_group: boolean }) => chat_id.endsWith("@g.us") === is_group;

const MEDIA_TYPES = ["image", "video", "audio", "voice", "document", "sticker"];
const MESSAGE_TYPES = [...MEDIA_TYPES, "text", "location", "contact", "poll", "list", "list_response", "button_response"] as const;
const listChoice = z.strictObject({ row_id: z.string(), title: z.string() });
const buttonChoice = z.strictObject({ button_id: z.string(), title: z.string() });

const said = {
  ...place,
  message_id: messageId,
  type: z.enum(MESSAGE_TYPES),
  text: z.string().nullable(),
  media: z.strictObject({ url: z.url({ protocol: /^https?$/ }).regex(/\/api\/midia\/\w+\.\w+$/), mimetype: z.string() }).nullable(),
  selected: z.union([listChoice, buttonChoice]).optional(),
  quoted: z.strictObject({ message_id: messageId, text: z.string().nullable() }).nullable(),
  mentions: z.array(phone),
  timestamp: seconds,
};
type Said = { type: string; media: unknown; selected?: object | undefined; text: string | null; chat_id: string; is_group: boolean };

/** Media where there must be some and nowhere else, a choice where one was made. */
function isConsistent(message: Said): boolean {
  const chosen = message.selected === undefined ? null : "row_id" in message.selected ? "list_response" : "button_response";
  const choice = message.type === "list_response" || message.type === "button_response" ? message.type : null;
  return agrees(message) && chosen === choice && (message.media !== null) === MEDIA_TYPES.includes(message.type);
}

const received = z.strictObject({ ...said, from: who, push_name: z.string().nullable() }).refine(isConsistent);
const sent = z
  .strictObject({ ...said, to: who, reference: z.string().nullable(), source: z.enum(["api", "dashboard", "phone"]) })
  .refine((message) => isConsistent(message) && (message.is_group ? message.to === null : `${message.to}@c.us` === message.chat_id));

const status = { message_id: messageId, ...place, to: who, timestamp: seconds };
const error = z.strictObject({ codigo: z.string().regex(/^[a-z_]+$/), mensagem: z.string().min(1) });
const got = z.enum(["delivered", "read", "played"]);
const messageStatus = z
  .union([
    z.strictObject({ ...status, is_group: z.literal(false), to: phone, status: got }),
    z.strictObject({ ...status, is_group: z.literal(true), to: z.null(), status: got, phone: who }),
    z.strictObject({ ...status, is_group: z.literal(false), to: phone, status: z.literal("failed"), error }),
    z.strictObject({ ...status, is_group: z.literal(true), to: z.null(), status: z.literal("failed"), error, phone: who }),
  ])
  .refine(agrees);

const done = { message_id: messageId, ...place, from: who, timestamp: seconds };
const shownStatus = z.enum(["connected", "disconnected", "failed", "scan_qr"]);

const changed = z
  .strictObject({
    subject: z.string(),
    description: z.string().nullable(),
    messages_admins_only: z.boolean(),
    info_admins_only: z.boolean(),
    members_can_add: z.boolean(),
    join_approval: z.boolean(),
    disappearing_seconds: z.int().min(0),
    picture_changed: z.literal(true),
    invite_link_changed: z.literal(true),
  })
  .partial()
  .refine((fields) => Object.keys(fields).length > 0);

const label = { label_id: z.string().regex(/^\d+$/), timestamp: seconds };
const labelledChat = z.strictObject({ ...label, name: z.string().nullable(), chat_id: chat, phone: who });

/** The data of each of the 17 types. */
export const CONNECTION_EVENT_DATA = {
  "message.received": received,
  "message.sent": sent,
  "message.status": messageStatus,
  "instance.status": z.strictObject({
    status: shownStatus,
    previous_status: shownStatus,
    reason: z.string().regex(/^[a-z_]+$/),
    restriction: z
      .strictObject({ type: z.literal("new_chats_blocked"), enforcement: z.string(), ends_at: iso.nullable(), detected_at: iso })
      .nullable(),
    phone: who,
    timestamp: seconds,
  }),
  "message.reaction": z.strictObject({ ...done, from_me: z.boolean(), reaction: z.string() }).refine(agrees),
  "message.edited": z.strictObject({ ...done, from_me: z.boolean(), text: z.string() }).refine(agrees),
  "message.deleted": z.strictObject({ ...done, from_me: z.boolean(), by: who }).refine(agrees),
  "group.participants": z.strictObject({
    chat_id: group,
    action: z.enum(["join", "leave", "promote", "demote"]),
    participants: z.array(z.strictObject({ phone: who, is_me: z.boolean() })).min(1),
    by: who,
    reason,
    timestamp: seconds,
  }),
  "group.updated": z.strictObject({ chat_id: group, by: who, changed, timestamp: seconds }),
  call: z
    .strictObject({
      ...place,
      call_id: z.string().min(1),
      from: who,
      is_video: z.boolean(),
      status: z.enum(["received", "accepted", "rejected"]),
      timestamp: seconds,
    })
    .refine(agrees),
  "poll.vote": z.strictObject({ ...done, options: z.array(z.string()) }).refine(agrees),
  presence: z
    .strictObject({
      ...place,
      phone: who,
      presence: z.enum(["online", "offline", "typing", "paused", "recording"]),
      last_seen: seconds.nullable(),
      timestamp: seconds,
    })
    .refine(agrees),
  "label.updated": z.strictObject({
    ...label,
    name: z.string(),
    color: z.int().min(0).max(19),
    color_hex: z.string().regex(/^#[0-9a-f]{6}$/),
  }),
  "label.deleted": z.strictObject({ ...label, name: z.string().nullable() }),
  "label.chat.added": labelledChat,
  "label.chat.removed": labelledChat,
  "webhook.test": z.strictObject({ message: z.string().min(1), timestamp: seconds }),
} as const;

export type ConnectionEventType = keyof typeof CONNECTION_EVENT_DATA;
export const CONNECTION_EVENT_TYPES = Object.keys(CONNECTION_EVENT_DATA) as ConnectionEventType[];

const instance = z.strictObject({ id: z.int().positive(), name: z.string().min(1), phone: who });

/** The whole body of an event of that type. */
export function connectionEvent(type: ConnectionEventType) {
  return z
    .strictObject({
      id: z.string().regex(/^msg_[0-9a-z]{8,}$/),
      type: z.literal(type),
      created_at: iso.endsWith("Z"),
      instance,
      data: CONNECTION_EVENT_DATA[type],
    })
    .refine(({ created_at, data }) => Math.floor(Date.parse(created_at) / 1_000) === data.timestamp, "created_at is when it happened");
}
