// A message as the bridge reports it and the object stores it. Each API renders its own form.
import * as z from "zod";
import { ChatId, MessageId, Person } from "./ids.ts";

/** A file in R2. `token` is null until the bytes are stored, and stays null if they are not fetched. */
export const StoredMedia = z.object({
  token: z.string().nullable(),
  mimetype: z.string(),
  filename: z.string().nullable(),
  size: z.number().int().nonnegative().nullable(),
  sha256: z.string().nullable(),
  duration_seconds: z.number().nullable(),
  width: z.number().int().nullable(),
  height: z.number().int().nullable(),
});
export type StoredMedia = z.infer<typeof StoredMedia>;

export const Location = z.object({
  latitude: z.number(),
  longitude: z.number(),
  name: z.string().nullable(),
  address: z.string().nullable(),
});
export const ContactCard = z.object({ full_name: z.string(), phone: z.string().nullable(), vcard: z.string() });
export const Poll = z.object({ question: z.string(), options: z.array(z.string()), selectable_count: z.number().int() });
export const Selected = z.union([
  z.object({ row_id: z.string(), title: z.string() }),
  z.object({ button_id: z.string(), title: z.string() }),
]);
export const Quoted = z.object({
  message_id: MessageId,
  from: Person.nullable(),
  from_me: z.boolean(),
  text: z.string().nullable(),
  type: z.string(),
});

/** The sender's description of a link in the text. A message has at most one. `thumbnail` is a small JPEG in base64. */
export const LinkPreview = z.object({
  url: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  thumbnail: z.string().nullable(),
});
export type LinkPreview = z.infer<typeof LinkPreview>;

export const MESSAGE_TYPES = [
  "text",
  "image",
  "video",
  "audio",
  "voice",
  "document",
  "sticker",
  "location",
  "contact",
  "poll",
  "list",
  "buttons",
  "template",
  "list_response",
  "button_response",
  "event",
  "group_invite",
] as const;

/** `type` is one of `MESSAGE_TYPES` or the network's name. `timestamp` is in Unix seconds. `raw` is base64, for quotes and forwards. */
export const NetworkMessage = z.object({
  message_id: MessageId,
  chat_id: ChatId,
  from_me: z.boolean(),
  sender: Person.nullable(),
  push_name: z.string().nullable(),
  timestamp: z.number().int(),
  type: z.string(),
  text: z.string().nullable(),
  media: StoredMedia.nullable(),
  location: Location.nullable(),
  contacts: z.array(ContactCard).nullable(),
  poll: Poll.nullable(),
  selected: Selected.nullable(),
  quoted: Quoted.nullable(),
  mentions: z.array(Person),
  forwarded: z.boolean(),
  view_once: z.boolean(),
  background: z.number().int().optional(),
  preview: LinkPreview.optional(),
  raw: z.string().nullable(),
});
export type NetworkMessage = z.infer<typeof NetworkMessage>;

/** The null values of a message that has only a text or a file. */
export const NO_EXTRAS = {
  location: null,
  contacts: null,
  poll: null,
  selected: null,
  quoted: null,
  mentions: [],
  forwarded: false,
  view_once: false,
} satisfies Partial<NetworkMessage>;

/** In the order in which a message's status advances (docs/use/events.md, "Status of a sent message"). */
export const REPORTED_STATUSES = ["delivered", "read", "played", "failed"] as const;
export const ReportedStatus = z.enum(REPORTED_STATUSES);
export type ReportedStatus = z.infer<typeof ReportedStatus>;
