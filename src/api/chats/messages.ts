// One message of a chat, and the actions on it.
import { z } from "@hono/zod-openapi";
import { mediaLink } from "@gateway/domain/media/media-link.ts";
import { isoOfMs } from "../../http/times.ts";
import { done, list, one } from "../answers.ts";
import { PERSON_FAILURES, SEND_FAILURES } from "../failure-lists.ts";
import { chatId, iso, messageId, messageText, optionalBoolean, reaction } from "../fields.ts";
import { route } from "../route.ts";
import type { Views } from "../views.ts";

const ON_MESSAGE = [...SEND_FAILURES, "message_not_found"] as const;

const params = z.object({ chatId, messageId });
const target = (given: { params: z.output<typeof params> }) => ({ chat_id: given.params.chatId, message_id: given.params.messageId });
const MESSAGE = "/chats/{chatId}/messages/{messageId}";

/** The durations that the network offers. */
const PIN_SECONDS = [86_400, 604_800, 2_592_000] as const;

const MediaLink = z.object({ url: z.string(), mimetype: z.string(), expires_at: iso });
const MediaContent = z.object({ base64: z.string().openapi({ format: "byte" }), mimetype: z.string() });
export const MediaAnswer = z.object({ data: z.union([MediaLink, MediaContent]) });

export const chatMessageRoutes = (views: Views) => [
  route({
    method: "delete",
    path: "/chats/{chatId}/messages",
    name: "clearChat",
    effect: "destructive",
    operation: "messages.clear",
    summary: "Clears the chat",
    failures: [...PERSON_FAILURES, "chat_not_found"],
    params: z.object({ chatId }),
    input: (given) => ({ chat_id: given.params.chatId }),
    ...done,
  }),
  route({
    method: "get",
    path: MESSAGE,
    name: "getChatMessage",
    effect: "read",
    operation: "messages.get",
    summary: "A message of the chat and its delivery status over time",
    failures: ["message_not_found"],
    params,
    input: target,
    ...one(views.messageDetail),
  }),
  route({
    method: "put",
    path: MESSAGE,
    name: "editMessage",
    effect: "change",
    operation: "messages.edit",
    summary: "Edits the text or the caption of an own message, up to 15 minutes later",
    description: "Only own messages, up to 15 minutes after they were sent.",
    failures: [...ON_MESSAGE, "forbidden", "edit_window_closed"],
    example: { body: { text: "Olá, tudo bem?" } },
    params,
    body: z.strictObject({ text: messageText }),
    input: (given) => ({ ...target(given), text: given.body.text }),
    ...views.edited,
  }),
  route({
    method: "delete",
    path: MESSAGE,
    name: "deleteMessage",
    effect: "destructive",
    operation: "messages.delete",
    summary: "Deletes a message for everybody, or only for this number",
    failures: [...ON_MESSAGE, "forbidden", "delete_window_closed"],
    example: { query: { for_everyone: true } },
    params,
    query: z.object({ for_everyone: optionalBoolean }),
    input: (given) => ({ ...target(given), for_everyone: given.query.for_everyone ?? true }),
    ...done,
  }),
  route({
    method: "put",
    path: `${MESSAGE}/reaction`,
    name: "reactToMessage",
    effect: "change",
    operation: "messages.react",
    summary: "Reacts to a message",
    description: "Empty removes the reaction.",
    failures: ON_MESSAGE,
    example: { body: { reaction: "👍" } },
    params,
    body: z.strictObject({ reaction }),
    input: (given) => ({ ...target(given), reaction: given.body.reaction }),
    ...done,
  }),
  route({
    method: "put",
    path: `${MESSAGE}/star`,
    name: "starMessage",
    effect: "change",
    operation: "messages.star",
    summary: "Stars or unstars a message",
    failures: [...PERSON_FAILURES, "message_not_found"],
    example: { body: { star: true } },
    params,
    body: z.strictObject({ star: z.boolean() }),
    input: (given) => ({ ...target(given), star: given.body.star }),
    ...done,
  }),
  route({
    method: "post",
    path: `${MESSAGE}/pin`,
    name: "pinMessage",
    effect: "change",
    operation: "messages.pin",
    summary: "Pins a message in the chat, for everybody",
    failures: [...ON_MESSAGE, "not_group_admin"],
    example: { body: { duration_seconds: 86_400 } },
    params,
    body: z.strictObject({ duration_seconds: z.literal(PIN_SECONDS) }),
    input: (given) => ({ ...target(given), seconds: given.body.duration_seconds }),
    ...done,
  }),
  route({
    method: "post",
    path: `${MESSAGE}/unpin`,
    name: "unpinMessage",
    effect: "change",
    operation: "messages.pin",
    summary: "Unpins a message",
    failures: [...ON_MESSAGE, "not_group_admin"],
    params,
    input: (given) => ({ ...target(given), seconds: null }),
    ...done,
  }),
  route({
    method: "get",
    path: `${MESSAGE}/media`,
    name: "getMessageMedia",
    effect: "read",
    operation: "messages.media",
    summary: "The file of a message, as a link or in Base64",
    failures: [...PERSON_FAILURES, "message_not_found", "media_expired"],
    params,
    query: z.object({ format: z.enum(["url", "base64"]).default("url") }),
    input: target,
    response: MediaAnswer,
    render: ({ token, mimetype, expires_at }, { appUrl }) => ({
      data: { url: mediaLink(appUrl, token, mimetype), mimetype, expires_at: isoOfMs(expires_at) },
    }),
    stream: ({ token, mimetype }, { format }) => (format === "base64" ? { token, mimetype } : null),
  }),
  route({
    method: "get",
    path: `${MESSAGE}/votes`,
    name: "getPollVotes",
    effect: "read",
    operation: "messages.votes",
    summary: "The votes of a poll, option by option",
    failures: ["message_not_found"],
    params,
    input: target,
    ...list(views.votes),
  }),
];
