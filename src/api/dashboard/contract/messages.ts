import * as z from "zod";
import { LIMITS } from "@gateway/domain/limits.ts";
import { ChatId, MessageId, Phone } from "@gateway/protocol/ids.ts";
import { WAITS_FOR } from "@gateway/protocol/operations/waiting.ts";
import { cursor, limit, messageText, place, text } from "./chats.ts";
import { count, EMPTY_CHANGE, isChange, one, page, time, type ContractRow } from "./common.ts";

const caption = text(LIMITS.captionCharacters).nullish();
const media = z.string().min(1).max(128);

const givenTime = z.iso.datetime({ offset: true });
/** If `at` is null, the message is sent as soon as the number can send. */
const delivery = z.strictObject({ at: givenTime.nullable() }).nullish();
/** Has the format of ids from the network's own web client. A message whose id was used before is not sent again. */
const ChosenId = z
  .string()
  .regex(/^3EB0[0-9A-F]{18}$/)
  .nullish();
const addressed = { to: Phone.nullish(), chat_id: ChatId.nullish(), quoted_message_id: MessageId.nullish(), delivery };
const MAX_OPTIONS = 12;

export const Send = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("text"),
      ...addressed,
      message_id: ChosenId,
      text: messageText,
      mentions: z.array(Phone).max(256).nullish(),
    }),
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
