// One message of a chat, and what can be done to it.
import { z } from "@hono/zod-openapi";
import { mediaLink } from "../../domain/media/media-link.ts";
import { isoOfMs } from "../../http/times.ts";
import { phoneOf, renderMessageDetail } from "../render/message.ts";
import { route } from "../route.ts";
import { chatId, done, iso, messageId, messageText, ok, optionalBoolean, phoneOrNull, reaction } from "../schemas/fields.ts";
import { MessageDetail } from "../schemas/message.ts";

const params = z.object({ chatId, messageId });
const target = (given: { params: z.output<typeof params> }) => ({ chat_id: given.params.chatId, message_id: given.params.messageId });
const MESSAGE = "/chats/{chatId}/messages/{messageId}";

/** Those that the network offers. */
const PIN_SECONDS = [86_400, 604_800, 2_592_000] as const;

const MediaLink = z.object({ url: z.string(), mimetype: z.string(), expires_at: iso });
const MediaContent = z.object({ base64: z.string().openapi({ format: "byte" }), mimetype: z.string() });

export const chatMessageRoutes = [
  route({
    method: "delete",
    path: "/chats/{chatId}/messages",
    operation: "messages.clear",
    tag: "chats",
    summary: "Clears the chat",
    params: z.object({ chatId }),
    input: (given) => ({ chat_id: given.params.chatId }),
    response: ok,
    render: done,
  }),
  route({
    method: "get",
    path: MESSAGE,
    operation: "messages.get",
    tag: "chats",
    summary: "A message of the chat and its delivery status over time",
    params,
    input: target,
    response: z.object({ data: MessageDetail }),
    render: (message, rendering) => ({ data: renderMessageDetail(message, rendering) }),
  }),
  route({
    method: "put",
    path: MESSAGE,
    operation: "messages.edit",
    tag: "chats",
    summary: "Edits the text or the caption of an own message, up to 15 minutes later",
    params,
    body: z.strictObject({ text: messageText }),
    input: (given) => ({ ...target(given), text: given.body.text }),
    response: ok,
    render: done,
  }),
  route({
    method: "delete",
    path: MESSAGE,
    operation: "messages.delete",
    tag: "chats",
    summary: "Deletes a message for everybody, or only for this number",
    params,
    query: z.object({ for_everyone: optionalBoolean }),
    input: (given) => ({ ...target(given), for_everyone: given.query.for_everyone ?? true }),
    response: ok,
    render: done,
  }),
  route({
    method: "put",
    path: `${MESSAGE}/reaction`,
    operation: "messages.react",
    tag: "chats",
    summary: "Reacts to a message",
    params,
    body: z.strictObject({ reaction }),
    input: (given) => ({ ...target(given), reaction: given.body.reaction }),
    response: ok,
    render: done,
  }),
  route({
    method: "put",
    path: `${MESSAGE}/star`,
    operation: "messages.star",
    tag: "chats",
    summary: "Stars or unstars a message",
    params,
    body: z.strictObject({ star: z.boolean() }),
    input: (given) => ({ ...target(given), star: given.body.star }),
    response: ok,
    render: done,
  }),
  route({
    method: "post",
    path: `${MESSAGE}/pin`,
    operation: "messages.pin",
    tag: "chats",
    summary: "Pins a message in the chat, for everybody",
    params,
    body: z.strictObject({ duration_seconds: z.literal(PIN_SECONDS) }),
    input: (given) => ({ ...target(given), seconds: given.body.duration_seconds }),
    response: ok,
    render: done,
  }),
  route({
    method: "post",
    path: `${MESSAGE}/unpin`,
    operation: "messages.pin",
    tag: "chats",
    summary: "Unpins a message",
    params,
    input: (given) => ({ ...target(given), seconds: null }),
    response: ok,
    render: done,
  }),
  route({
    method: "get",
    path: `${MESSAGE}/media`,
    operation: "messages.media",
    tag: "chats",
    summary: "The file of a message, as a link or in Base64",
    params,
    query: z.object({ format: z.enum(["url", "base64"]).default("url") }),
    input: target,
    response: z.object({ data: z.union([MediaLink, MediaContent]) }),
    render: ({ token, mimetype, expires_at }, { appUrl }) => ({
      data: { url: mediaLink(appUrl, token, mimetype), mimetype, expires_at: isoOfMs(expires_at) },
    }),
    stream: ({ token, mimetype }, { format }) => (format === "base64" ? { token, mimetype } : null),
  }),
  route({
    method: "get",
    path: `${MESSAGE}/votes`,
    operation: "messages.votes",
    tag: "chats",
    summary: "The votes of a poll, option by option",
    params,
    input: target,
    response: z.object({ data: z.array(z.object({ option: z.string(), votes: z.number().int(), voters: z.array(phoneOrNull) })) }),
    render: ({ items }) => ({ data: items.map(({ option, votes, voters }) => ({ option, votes, voters: voters.map(phoneOf) })) }),
  }),
];
