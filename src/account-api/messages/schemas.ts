// Messages of the Account API: people as chat ids, times as ISO 8601.
import { z } from "@hono/zod-openapi";
import { Location, Poll, Selected } from "../../protocol/message.ts";
import { FailureCode } from "../../protocol/failures.ts";
import { MESSAGE_STATUSES } from "../../protocol/records.ts";
import { iso, personIdOrNull, phoneOrNull } from "../fields.ts";

export const Media = z
  .object({
    url: z.string().nullable(),
    mimetype: z.string(),
    filename: z.string().nullable(),
    size: z.number().nullable(),
    duration_seconds: z.number().nullable(),
    width: z.number().nullable(),
    height: z.number().nullable(),
    base64: z
      .string()
      .nullable()
      .optional()
      .openapi({ description: "The content, with `downloadMedia`; null when it is not kept, or beyond 25 MB of content in one answer" }),
  })
  .openapi("Media");

export const Message = z
  .object({
    message_id: z.string(),
    chat_id: z.string(),
    from: personIdOrNull,
    to: personIdOrNull,
    phone: phoneOrNull.openapi({ description: "Of the person that it is from, or to; null in a group when it is our own" }),
    from_me: z.boolean(),
    is_group: z.boolean(),
    participant: personIdOrNull.openapi({ description: "In a group: who wrote it" }),
    push_name: z.string().nullable(),
    type: z.string(),
    text: z.string().nullable(),
    media: Media.nullable(),
    location: Location.nullable(),
    contacts: z.array(z.object({ full_name: z.string(), phone: phoneOrNull, vcard: z.string() })).nullable(),
    poll: Poll.nullable(),
    selected: Selected.nullable(),
    quoted: z.object({ message_id: z.string(), from: personIdOrNull, text: z.string().nullable(), type: z.string() }).nullable(),
    mentions: z.array(z.string()),
    reactions: z.array(z.object({ from: personIdOrNull, from_me: z.boolean(), reaction: z.string(), timestamp: iso })),
    forwarded: z.boolean(),
    view_once: z.boolean(),
    starred: z.boolean(),
    status: z.enum(MESSAGE_STATUSES).nullable(),
    error: z.object({ code: FailureCode, message: z.string() }).nullable(),
    source: z.enum(["api", "dashboard", "phone"]).nullable(),
    reference: z.string().nullable(),
    edited_at: iso.nullable(),
    deleted_at: iso.nullable(),
    timestamp: iso,
  })
  .openapi("Message");
