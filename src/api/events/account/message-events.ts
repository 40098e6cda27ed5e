// The data of events about messages.
import { z } from "@hono/zod-openapi";
import { ACCOUNT_SEND_FAILURE_CODES } from "@gateway/domain/webhooks/style/send-failures.ts";
import { MESSAGE_TYPES } from "@gateway/protocol/message.ts";
import { chatId, digits, happenedAt, isoTime, knownPerson, messageId, person, reference } from "./fields.ts";

const nullableText = (description: string) => z.string().nullable().openapi({ description });
const measure = (description: string) => z.number().min(0).nullable().openapi({ description });

const media = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .openapi({ description: "Link to the file; needs no authentication and works for a limited time. Null while there is no file" }),
    mimetype: z.string().openapi({ description: "Media type of the file" }),
    filename: nullableText("Name of the file"),
    size: measure("Size in bytes"),
    duration_seconds: measure("Length of a sound or video"),
    width: measure("Width in pixels"),
    height: measure("Height in pixels"),
  })
  .nullable()
  .openapi({ description: "The file of the message, or null" });

const quoted = z
  .strictObject({
    message_id: z.string().openapi({ description: "Id of the quoted message" }),
    from: person("Who wrote the quoted message; null when unknown"),
    text: nullableText("Text of the quoted message"),
    type: z.string().openapi({ description: "Kind of the quoted message" }),
  })
  .nullable()
  .openapi({ description: "The message this one answers, or null" });

const location = z
  .strictObject({
    latitude: z.number().openapi({ description: "Degrees north" }),
    longitude: z.number().openapi({ description: "Degrees east" }),
    name: nullableText("Name of the place"),
    address: nullableText("Address of the place"),
  })
  .nullable()
  .openapi({ description: "The place of a `location`" });

const contacts = z
  .array(
    z.strictObject({
      full_name: z.string().openapi({ description: "Name on the card" }),
      phone: digits("Phone number on the card, digits only").nullable(),
      vcard: z.string().openapi({ description: "The whole card (vCard 3.0)" }),
    }),
  )
  .nullable()
  .openapi({ description: "The cards of a `contact`" });

const poll = z
  .strictObject({
    question: z.string().openapi({ description: "What is asked" }),
    options: z.array(z.string()).openapi({ description: "What one can vote for" }),
    selectable_count: z.int().openapi({ description: "How many options one person may choose; 0: any number" }),
  })
  .nullable()
  .openapi({ description: "The poll of a `poll`" });

const title = z.string().openapi({ description: "What was shown on it" });
const selected = z
  .union([
    z.strictObject({ row_id: z.string().openapi({ description: "Id of the chosen row of a list" }), title }),
    z.strictObject({ button_id: z.string().openapi({ description: "Id of the pressed button" }), title }),
    z.null(),
  ])
  .openapi({ description: "For `list_response` and `button_response`: what was chosen" });

const type = z
  .union([z.enum(MESSAGE_TYPES), z.string().min(1)])
  .openapi({ description: "Kind of the message. A kind that is newer than this list comes under the network's own name: tolerate it" });
const text = nullableText("Body, caption, or a description of the content");
const sentAt = isoTime("When the message was sent");

const about = { message_id: messageId, chat_id: chatId };

export const messageReceived = z.strictObject({
  ...about,
  from: person("The sender, in a group the participant who wrote it; null when the phone number is unknown"),
  type,
  text,
  timestamp: sentAt,
  is_group: z.boolean().openapi({ description: "Whether the chat is a group" }),
  participant: person("In a group who wrote it, else null"),
  push_name: nullableText("The name the sender has given themselves"),
  media,
  location,
  contacts,
  poll,
  selected,
  quoted,
  mentions: z.array(knownPerson("A person")).openapi({ description: "The people it mentions" }),
  forwarded: z.boolean().openapi({ description: "Whether it was forwarded" }),
  view_once: z.boolean().openapi({ description: "Whether it can be opened only once" }),
});

const to = person("The recipient; null in a group");

export const messageSent = z.strictObject({
  ...about,
  to,
  type,
  text,
  source: z.enum(["api", "dashboard", "phone"]).openapi({ description: "Where it was written" }),
  reference,
  media,
  quoted,
  timestamp: sentAt,
});

const progress = { to, participant: person("In a group whose device it was, else null"), reference, timestamp: happenedAt };
const status = <S extends string>(value: S) => z.literal(value).openapi({ description: "The status of the message" });

export const messageDelivered = z.strictObject({ ...about, status: status("delivered"), ...progress });

export const messageRead = z.strictObject({ ...about, status: status("read"), ...progress });

export const messageFailed = z.strictObject({
  ...about,
  status: status("failed"),
  to,
  error: z
    .strictObject({
      code: z.enum(ACCOUNT_SEND_FAILURE_CODES).openapi({ description: "Stable: what a program decides by" }),
      message: z.string().min(1).openapi({ description: "For people; may change" }),
    })
    .openapi({ description: "Why" }),
  reference,
  timestamp: happenedAt,
});

export const messageReaction = z.strictObject({
  ...about,
  from: person("Who reacted; null when the phone number is unknown"),
  reaction: z.string().openapi({ description: "The emoji; empty when the reaction was taken back" }),
  from_me: z.boolean().openapi({ description: "Whether the number itself reacted" }),
  timestamp: happenedAt,
});
