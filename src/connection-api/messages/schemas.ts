// Message and Chat in answers of the Connection API.
import { z } from "@hono/zod-openapi";
import { CODIGOS } from "../../domain/failures/answers.ts";
import { Location, Poll, Selected } from "../../protocol/message.ts";
import { MESSAGE_STATUSES } from "../../protocol/records.ts";
import { iso, phoneOrNull, unixSeconds, messageType } from "../fields.ts";

export const Media = z
  .object({
    url: z.string().nullable(),
    mimetype: z.string(),
    filename: z.string().nullable(),
    size: z.number().nullable(),
    duration_seconds: z.number().nullable(),
    width: z.number().nullable(),
    height: z.number().nullable(),
  })
  .openapi("Media");

export const Message = z
  .object({
    message_id: z.string(),
    chat_id: z.string(),
    from: phoneOrNull,
    to: phoneOrNull,
    from_me: z.boolean(),
    is_group: z.boolean(),
    push_name: z.string().nullable(),
    type: messageType,
    text: z.string().nullable(),
    media: Media.nullable(),
    location: Location.nullable(),
    contacts: z.array(z.object({ full_name: z.string(), phone: phoneOrNull, vcard: z.string() })).nullable(),
    poll: Poll.nullable(),
    selected: Selected.nullable(),
    quoted: z.object({ message_id: z.string(), from: phoneOrNull, text: z.string().nullable(), type: messageType }).nullable(),
    mentions: z.array(z.string()),
    reactions: z.array(z.object({ from: phoneOrNull, from_me: z.boolean(), reaction: z.string(), timestamp: unixSeconds })),
    forwarded: z.boolean(),
    view_once: z.boolean(),
    starred: z.boolean(),
    status: z.enum(MESSAGE_STATUSES).nullable(),
    error: z.object({ codigo: z.enum(CODIGOS), mensagem: z.string() }).nullable(),
    source: z.enum(["api", "dashboard", "phone"]).nullable(),
    reference: z.string().nullable(),
    edited_at: iso.nullable(),
    deleted_at: iso.nullable(),
    timestamp: unixSeconds,
  })
  .openapi("Message");

const receiptTimes = { delivered_at: iso.nullable(), read_at: iso.nullable(), played_at: iso.nullable() };

/** A single message also has its delivery times, in groups per participant. */
export const MessageDetail = Message.extend({
  timeline: z.object({ accepted_at: iso.nullable(), ...receiptTimes }),
  receipts: z.array(z.object({ participant: phoneOrNull, ...receiptTimes })).optional(),
}).openapi("MessageDetail");

export const Chat = z
  .object({
    chat_id: z.string(),
    kind: z.enum(["direct", "group", "channel"]),
    name: z.string().nullable(),
    phone: phoneOrNull,
    unread_count: z.number().int(),
    marked_unread: z.boolean(),
    archived: z.boolean(),
    pinned: z.boolean(),
    muted_until: z.union([iso, z.literal("always")]).nullable(),
    disappearing_seconds: z.number().int(),
    label_ids: z.array(z.string()),
    picture_url: z.string().nullable(),
    last_message: z
      .object({ message_id: z.string(), from_me: z.boolean(), type: messageType, text: z.string().nullable(), timestamp: unixSeconds })
      .nullable(),
    updated_at: iso,
  })
  .openapi("Chat");
