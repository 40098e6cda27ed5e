import * as z from "zod";
import { LIMITS } from "@gateway/domain/limits.ts";
import { hasAtMostCharacters, isOneEmoji } from "@gateway/domain/messages/characters.ts";
import { FailureCode } from "@gateway/protocol/failures.ts";
import { MESSAGE_STATUSES } from "@gateway/protocol/records.ts";
import { count, done, list, one, page, time, timeOrNull, type ContractRow } from "./common.ts";

export const limit = z.coerce.number().int().min(1).max(100).default(50);
export const cursor = z.string().min(1).max(512).optional();

/** `phone` is null if it is unknown (as for every `…@lid`) or the chat is not with a person. */
const Chat = z.strictObject({
  chat_id: z.string(),
  kind: z.enum(["direct", "group", "channel"]),
  name: z.string().nullable(),
  phone: z.string().nullable(),
  unread_count: count,
  marked_unread: z.boolean(),
  archived: z.boolean(),
  pinned: z.boolean(),
  muted: z.boolean(),
  last_message: z
    .strictObject({
      message_id: z.string(),
      from_me: z.boolean(),
      push_name: z.string().nullable(),
      type: z.string(),
      text: z.string().nullable(),
      filename: z.string().nullable(),
      deleted: z.boolean(),
      at: time,
    })
    .nullable(),
  updated_at: time,
});

/** If `stored` is false, the file is fetched from the network when it is requested, for as long as the network has it. */
const Media = z.strictObject({
  mimetype: z.string(),
  filename: z.string().nullable(),
  size: count.nullable(),
  duration_seconds: z.number().nullable(),
  width: count.nullable(),
  height: count.nullable(),
  stored: z.boolean(),
});

export const place = {
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
};

/** `thumbnail` is a small JPEG in base64. */
const LinkPreview = z.strictObject({
  url: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  thumbnail: z.string().nullable(),
});

const Message = z.strictObject({
  message_id: z.string(),
  chat_id: z.string(),
  from_me: z.boolean(),
  from: z.string().nullable(),
  push_name: z.string().nullable(),
  type: z.string(),
  text: z.string().nullable(),
  preview: LinkPreview.nullable(),
  media: Media.nullable(),
  location: z.strictObject({ ...place, name: z.string().nullable(), address: z.string().nullable() }).nullable(),
  contacts: z.array(z.strictObject({ full_name: z.string(), phone: z.string().nullable() })).nullable(),
  poll: z.strictObject({ question: z.string(), options: z.array(z.string()), selectable_count: count }).nullable(),
  quoted: z.strictObject({ message_id: z.string(), from_me: z.boolean(), text: z.string().nullable(), type: z.string() }).nullable(),
  reactions: z.array(z.strictObject({ from_me: z.boolean(), from: z.string().nullable(), reaction: z.string() })),
  forwarded: z.boolean(),
  starred: z.boolean(),
  status: z.enum(MESSAGE_STATUSES).nullable(),
  error: FailureCode.nullable(),
  source: z.enum(["api", "dashboard", "phone"]).nullable(),
  edited_at: timeOrNull,
  deleted_at: timeOrNull,
  at: time,
});

const MessageDetail = Message.extend({
  timeline: z.strictObject({ accepted_at: timeOrNull, delivered_at: timeOrNull, read_at: timeOrNull, played_at: timeOrNull }),
});

/** `voters` are phones, or null for people who hide theirs. */
const OptionVotes = z.strictObject({ option: z.string(), voters: z.array(z.string().nullable()) });

/** Counts code points, not UTF-16 code units. */
export const text = (most: number) =>
  z
    .string()
    .min(1)
    .refine((value) => hasAtMostCharacters(value, most), { params: { problem: "too_long", most } });

export const messageText = text(LIMITS.textCharacters);
export const CHAT_CONTRACT = {
  "GET /connections/{id}/chats": {
    query: z.object({ limit, cursor, q: z.string().max(200).optional() }),
    response: page(Chat),
  },
  "GET /connections/{id}/chats/{chat_id}": { response: one(Chat.nullable()) },
  "GET /connections/{id}/chats/{chat_id}/messages": {
    query: z.object({ limit, cursor, q: z.string().max(200).optional(), only: z.enum(["files", "starred"]).optional() }),
    response: page(Message),
  },
  /** Searches all chats. A page may be short or empty although another one follows. */
  "GET /connections/{id}/messages": {
    query: z.object({ limit, cursor, q: z.string().trim().min(1).max(200) }),
    response: page(Message),
  },
  "POST /connections/{id}/chats/{chat_id}/seen": { response: done },
  "PUT /connections/{id}/chats/{chat_id}/messages/{message_id}": { body: z.strictObject({ text: messageText }), response: one(Message) },
  "DELETE /connections/{id}/chats/{chat_id}/messages/{message_id}": { response: done },
  "PUT /connections/{id}/chats/{chat_id}/messages/{message_id}/reaction": {
    body: z.strictObject({
      reaction: z.string().refine((value) => value === "" || isOneEmoji(value), { params: { problem: "not_an_emoji" } }),
    }),
    response: done,
  },
  "PUT /connections/{id}/chats/{chat_id}/messages/{message_id}/star": { body: z.strictObject({ starred: z.boolean() }), response: done },
  /** The file's bytes. The route requires a session, because the file has no public link. */
  "GET /connections/{id}/chats/{chat_id}/messages/{message_id}/media": { response: "file" },
  "GET /connections/{id}/messages/{message_id}": { response: one(MessageDetail) },
  "GET /connections/{id}/chats/{chat_id}/messages/{message_id}/votes": { response: list(OptionVotes) },
} as const satisfies Record<string, ContractRow>;
