import * as z from "zod";
import { LIMITS } from "@gateway/domain/limits.ts";
import { hasAtMostCharacters, isOneEmoji } from "@gateway/domain/messages/characters.ts";
import { FailureCode } from "@gateway/protocol/failures.ts";
import { ChatId, MessageId, Phone } from "@gateway/protocol/ids.ts";
import { WAITS_FOR } from "@gateway/protocol/operations/waiting.ts";
import { MESSAGE_STATUSES } from "@gateway/protocol/records.ts";
import { done, isChange, EMPTY_CHANGE, one, page, time, timeOrNull, type ContractRow } from "./common.ts";

const count = z.number().int();
const limit = z.coerce.number().int().min(1).max(100).default(50);
const cursor = z.string().min(1).max(512).optional();

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
  last_message: z
    .strictObject({
      message_id: z.string(),
      from_me: z.boolean(),
      push_name: z.string().nullable(),
      type: z.string(),
      text: z.string().nullable(),
      filename: z.string().nullable(),
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

const place = {
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

/** Counts code points, not UTF-16 code units. */
const text = (most: number) =>
  z
    .string()
    .min(1)
    .refine((value) => hasAtMostCharacters(value, most), { params: { problem: "too_long", most } });

const messageText = text(LIMITS.textCharacters);
const caption = text(LIMITS.captionCharacters).nullish();
const media = z.string().min(1).max(128);

const givenTime = z.iso.datetime({ offset: true });
/** If `at` is null, the message is sent as soon as the number can send. */
const delivery = z.strictObject({ at: givenTime.nullable() }).nullish();
/** In the format of the network's own web client. A send with a repeated id is not sent again. */
const ChosenId = z
  .string()
  .regex(/^3EB0[0-9A-F]{18}$/)
  .nullish();
const addressed = { to: Phone.nullish(), chat_id: ChatId.nullish(), quoted_message_id: MessageId.nullish(), delivery };
const MAX_OPTIONS = 12;

export const Send = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("text"), ...addressed, message_id: ChosenId, text: messageText }),
    z.strictObject({ kind: z.literal("image"), ...addressed, media, caption }),
    z.strictObject({ kind: z.literal("video"), ...addressed, media, caption }),
    z.strictObject({ kind: z.literal("document"), ...addressed, media, caption }),
    z.strictObject({ kind: z.literal("audio"), ...addressed, media }),
    z.strictObject({ kind: z.literal("voice"), ...addressed, media }),
    z.strictObject({ kind: z.literal("sticker"), ...addressed, media }),
    z.strictObject({ kind: z.literal("location"), ...addressed, ...place, name: text(256).nullish(), address: text(512).nullish() }),
    z.strictObject({
      kind: z.literal("contact"),
      ...addressed,
      contacts: z
        .array(z.strictObject({ full_name: text(256), phone: Phone }))
        .min(1)
        .max(20),
    }),
    z.strictObject({
      kind: z.literal("forward"),
      ...addressed,
      source: z.strictObject({ chat_id: ChatId, message_id: MessageId }),
    }),
    z.strictObject({
      kind: z.literal("poll"),
      ...addressed,
      question: text(255),
      options: z
        .array(text(100))
        .min(2)
        .max(MAX_OPTIONS)
        .refine((options) => new Set(options).size === options.length, { params: { problem: "repeated_option" } }),
      selectable_count: count.min(0).max(MAX_OPTIONS).default(1),
    }),
  ])
  .superRefine((body, context) => {
    if (((body.to ?? null) === null) === ((body.chat_id ?? null) === null))
      context.addIssue({ code: "custom", path: ["to"], input: body.to, params: { problem: "one_destination" } });
    if (body.kind === "poll" && body.selectable_count > body.options.length)
      context.addIssue({
        code: "custom",
        path: ["selectable_count"],
        input: body.selectable_count,
        params: { problem: "too_many_choices" },
      });
  });
export type Send = z.output<typeof Send>;

/** `waits` is set if the message is sent later, either at the chosen time or because WhatsApp or the owner's settings delay it. */
const Sent = z.strictObject({
  message_id: z.string(),
  chat_id: z.string(),
  to: z.string().nullable(),
  type: z.string(),
  at: time,
  waits: z.boolean(),
});

const Upload = z.strictObject({ id: z.string(), mimetype: z.string(), filename: z.string().nullable(), size: count, expires_at: time });

const WaitingSend = z.strictObject({
  message_id: z.string(),
  chat_id: z.string(),
  type: z.string(),
  text: z.string().nullable(),
  source: z.enum(["api", "dashboard"]),
  at: time,
  until: time,
  waits_for: z.enum(WAITS_FOR),
});

export const MESSAGE_CONTRACT = {
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
  "POST /connections/{id}/messages": { body: Send, response: one(Sent) },
  "GET /connections/{id}/waiting": { query: z.object({ limit, cursor, chat_id: ChatId.optional() }), response: page(WaitingSend) },
  "PATCH /connections/{id}/waiting/{message_id}": {
    body: z
      .strictObject({ at: givenTime.optional(), until: givenTime.optional(), text: messageText.optional() })
      .refine(isChange, EMPTY_CHANGE),
    response: one(WaitingSend),
  },
  /** A `count` of 0 means that nothing was cancelled, because the send is already running, finished or cancelled. */
  "DELETE /connections/{id}/waiting/{message_id}": { response: one(z.strictObject({ count })) },
  /** Cancels only the messages of `chat_id`, or all messages if it is null. */
  "DELETE /connections/{id}/waiting": { body: z.strictObject({ chat_id: ChatId.nullable() }), response: one(z.strictObject({ count })) },
  /** At most 25 MB. Deleted within about a day unless a message with the file is sent. */
  "POST /connections/{id}/media": { query: z.object({ filename: z.string().max(255).optional() }), body: "file", response: one(Upload) },
  /** `phone` is in the network's own format, or null if the number isn't on the network. */
  "GET /connections/{id}/contacts/check": {
    query: z.object({ phone: Phone }),
    response: one(z.strictObject({ phone: z.string().nullable() })),
  },
} as const satisfies Record<string, ContractRow>;
