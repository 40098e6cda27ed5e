// The Account API's events, every field and no other (docs/events.md, "Account API events"). Written from the contract, not from
// the code that renders them.
import { z } from "zod";

const person = z
  .string()
  .regex(/^[1-9]\d{6,14}@s\.whatsapp\.net$/)
  .nullable();
const digits = z.string().regex(/^[1-9]\d{6,14}$/);
const direct = z.string().regex(/^[1-9]\d{6,14}@c\.us$/);
const group = z.string().regex(/^[\d-]{5,40}@g\.us$/);
const chat = z.union([direct, group]);
const messageId = z.string().min(1).max(256);
const iso = z.iso.datetime().endsWith("Z");
const text = z.string().nullable();
const size = z.number().min(0).nullable();

const media = z
  .strictObject({
    url: z.url({ protocol: /^https?$/ }).regex(/\/api\/midia\/\w+\.\w+$/),
    mimetype: z.string(),
    filename: text,
    size,
    duration_seconds: size,
    width: size,
    height: size,
  })
  .nullable();
const quoted = z.strictObject({ message_id: messageId, from: person, text, type: z.string() }).nullable();
const selected = z.union([
  z.strictObject({ row_id: z.string(), title: z.string() }),
  z.strictObject({ button_id: z.string(), title: z.string() }),
  z.null(),
]);

const about = { message_id: messageId, chat_id: chat };
const progress = { ...about, to: person, participant: person, reference: text, timestamp: iso };
const membership = { group_id: group, participant: person, by: person, is_me: z.boolean() };

/** The data of each of the 12 types. */
export const ACCOUNT_EVENT_DATA = {
  "message.received": z
    .strictObject({
      ...about,
      from: person,
      type: z.string().min(1),
      text,
      timestamp: iso,
      is_group: z.boolean(),
      participant: person,
      push_name: text,
      media,
      location: z.strictObject({ latitude: z.number(), longitude: z.number(), name: text, address: text }).nullable(),
      contacts: z.array(z.strictObject({ full_name: z.string(), phone: digits.nullable(), vcard: z.string() })).nullable(),
      poll: z.strictObject({ question: z.string(), options: z.array(z.string()), selectable_count: z.int() }).nullable(),
      selected,
      quoted,
      mentions: z.array(person),
      forwarded: z.boolean(),
      view_once: z.boolean(),
    })
    .refine(
      ({ chat_id, is_group, from, participant }) => chat_id.endsWith("@g.us") === is_group && participant === (is_group ? from : null),
    ),
  "message.sent": z
    .strictObject({
      ...about,
      to: person,
      type: z.string().min(1),
      text,
      source: z.enum(["api", "dashboard", "phone"]),
      reference: text,
      media,
      quoted,
      timestamp: iso,
    })
    .refine(({ chat_id, to }) => !(chat_id.endsWith("@g.us") && to !== null)),
  "message.delivered": z.strictObject({ ...progress, status: z.literal("delivered") }),
  "message.read": z.strictObject({ ...progress, status: z.literal("read") }),
  "message.failed": z.strictObject({
    ...about,
    to: person,
    status: z.literal("failed"),
    error: z.strictObject({ code: z.string().regex(/^[a-z_]+$/), message: z.string().min(1) }),
    reference: text,
    timestamp: iso,
  }),
  "message.reaction": z.strictObject({ ...about, from: person, reaction: z.string(), from_me: z.boolean(), timestamp: iso }),
  "instance.connected": z.strictObject({
    instance_id: z.uuid(),
    status: z.literal("connected"),
    phone_number: digits,
    profile_name: text,
  }),
  "instance.disconnected": z.strictObject({
    instance_id: z.uuid(),
    status: z.enum(["disconnected", "connecting", "failed"]),
    reason: z.string().regex(/^[a-z_]+$/),
    phone_number: digits.nullable(),
    will_reconnect: z.boolean(),
    timestamp: iso,
  }),
  "instance.qr": z.strictObject({
    instance_id: z.uuid(),
    qr: z.string().regex(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/),
    raw: z.string().min(1),
    expires_at: iso,
    attempt: z.int().positive(),
  }),
  "group.joined": z.strictObject({ ...membership, reason: z.enum(["added", "invite_link", "request_approved", "created"]) }),
  "group.left": z.strictObject({ ...membership, reason: z.enum(["left", "removed"]) }),
  "contact.created": z.strictObject({
    contact_id: direct,
    phone_number: digits,
    name: text,
    push_name: text,
    source: z.enum(["saved", "detected"]),
    timestamp: iso,
  }),
  "webhook.test": z.strictObject({ message: z.string().min(1), timestamp: iso }),
} as const;

export type AccountEventType = keyof typeof ACCOUNT_EVENT_DATA;

/** The whole body of an event of that type. */
export function accountEvent(type: AccountEventType) {
  return z.strictObject({
    id: z.string().regex(/^msg_[0-9a-z]{8,}$/),
    event: z.literal(type),
    instance_id: z.uuid(),
    timestamp: iso,
    data: ACCOUNT_EVENT_DATA[type],
  });
}
