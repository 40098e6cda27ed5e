// The data of events about messages.
import { z } from "@hono/zod-openapi";
import { CONNECTION_SEND_FAILURE_CODES } from "@gateway/domain/webhooks/style/send-failures.ts";
import { MESSAGE_TYPES } from "@gateway/protocol/message.ts";
import { chatId, fromMe, happenedAt, isGroup, messageId, phone, phoneOrNull, timestamp } from "./fields.ts";

const media = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .openapi({ description: "Link to the file; needs no authentication and works for a limited time. Null while there is no file" }),
    mimetype: z.string().openapi({ description: "Media type of the file" }),
  })
  .nullable()
  .openapi({ description: "The file of the message, or null" });

const title = z.string().openapi({ description: "What was shown on it" });
const selected = z
  .union([
    z.strictObject({ row_id: z.string().openapi({ description: "Id of the chosen row of a list" }), title }),
    z.strictObject({ button_id: z.string().openapi({ description: "Id of the pressed button" }), title }),
  ])
  .optional()
  .openapi({ description: "Only for `list_response` and `button_response`: what was chosen" });

const quoted = z
  .strictObject({
    message_id: z.string().openapi({ description: "Id of the quoted message" }),
    text: z.string().nullable().openapi({ description: "Text of the quoted message" }),
  })
  .nullable()
  .openapi({ description: "The message this one answers, or null" });

const content = {
  is_group: isGroup,
  type: z
    .union([z.enum(MESSAGE_TYPES), z.string().min(1)])
    .openapi({ description: "Kind of the message. A kind that is newer than this list comes under the network's own name: tolerate it" }),
  text: z.string().nullable().openapi({ description: "Body, caption, or a description of the content" }),
  media,
  selected,
  quoted,
  mentions: z.array(phone("Phone number, digits only")).openapi({ description: "Phone numbers of the people it mentions" }),
  timestamp: timestamp("Unix seconds: when the message was sent"),
};

export const messageReceived = z.strictObject({
  message_id: messageId,
  chat_id: chatId,
  from: phoneOrNull("Phone number of the sender, in a group of the participant who wrote it; null when unknown"),
  ...content,
  push_name: z.string().nullable().openapi({ description: "The name the sender has given themselves" }),
});

export const messageSent = z.strictObject({
  message_id: messageId,
  chat_id: chatId,
  to: phoneOrNull("Phone number of the recipient; null in a group"),
  ...content,
  reference: z.string().nullable().openapi({ description: "The `reference` of the request that sent it" }),
  source: z.enum(["api", "dashboard", "phone"]).openapi({ description: "Where it was written" }),
});

export const messageStatus = z.strictObject({
  message_id: messageId,
  chat_id: chatId,
  to: phoneOrNull("Phone number of the recipient; null in a group"),
  is_group: isGroup,
  status: z.enum(["delivered", "read", "played", "failed"]).openapi({ description: "It only moves forward" }),
  phone: phoneOrNull("Only in groups: who has received, read or played it").optional(),
  error: z
    .strictObject({
      codigo: z.enum(CONNECTION_SEND_FAILURE_CODES).openapi({ description: "Stable: what a program decides by" }),
      mensagem: z.string().min(1).openapi({ description: "For people; may change" }),
    })
    .optional()
    .openapi({ description: "Only with status `failed`: why" }),
  timestamp: happenedAt,
});

const about = { message_id: messageId, chat_id: chatId };
const doneBy = phoneOrNull("Phone number of who did it; null when unknown");

export const messageReaction = z.strictObject({
  ...about,
  from: doneBy,
  is_group: isGroup,
  from_me: fromMe,
  reaction: z.string().openapi({ description: "The emoji; empty when the reaction was taken back" }),
  timestamp: happenedAt,
});

export const messageEdited = z.strictObject({
  ...about,
  from: doneBy,
  is_group: isGroup,
  from_me: fromMe,
  text: z.string().openapi({ description: "The new text" }),
  timestamp: happenedAt,
});

export const messageDeleted = z.strictObject({
  ...about,
  from: phoneOrNull("Phone number of who wrote the message; null when unknown"),
  by: phoneOrNull("Phone number of who deleted it, perhaps an admin of the group; null when unknown"),
  is_group: isGroup,
  from_me: z.boolean().openapi({ description: "Whether the number itself wrote the message" }),
  timestamp: happenedAt,
});

export const pollVote = z.strictObject({
  ...about,
  from: phoneOrNull("Phone number of who voted; null when unknown"),
  is_group: isGroup,
  options: z.array(z.string()).openapi({ description: "All options that are chosen now; empty when the vote was taken back" }),
  timestamp: happenedAt,
});
