import { documented } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { mediaLink } from "@gateway/domain/media/media-link.ts";
import { isoOfMs } from "@gateway/domain/iso-times.ts";
import { done, list, one } from "../responses.ts";
import { PERSON_FAILURES, SEND_FAILURES } from "../failure-lists.ts";
import { chatId, iso, messageId, messageText, optionalBoolean, reaction } from "../fields.ts";
import { route } from "../route.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import type { Views } from "../views.ts";

const ON_MESSAGE = [...SEND_FAILURES, "message_not_found"] as const;

export const messageParams = z.object({ chatId, messageId });
export const MESSAGE_PATH = "/chats/{chatId}/messages/{messageId}";

export function messageOf({ params }: { params: z.output<typeof messageParams> }) {
  return { chat_id: params.chatId, message_id: params.messageId };
}

const PIN_SECONDS = [86_400, 604_800, 2_592_000] as const;

const MediaLink = z.object({ url: z.string(), mimetype: z.string(), expires_at: iso });
const MediaContent = z.object({ base64: z.string().openapi({ format: "byte" }), mimetype: z.string() });
export const MediaResponse = z.object({ data: z.union([MediaLink, MediaContent]) });

export function linkTo({ token, mimetype, expires_at }: OperationOutput<"messages.media">, appUrl: string): z.input<typeof MediaResponse> {
  return { data: { url: mediaLink(appUrl, token, mimetype), mimetype, expires_at: isoOfMs(expires_at) } };
}

export const chatMessageRoutes = (views: Views) => [
  route({
    method: "delete",
    path: "/chats/{chatId}/messages",
    name: "clearChat",
    effect: "destructive",
    operation: "messages.clear",
    summary: documented({ en: "Clears the chat", pt: "Limpa a conversa" }),
    failures: [...PERSON_FAILURES, "chat_not_found"],
    params: z.object({ chatId }),
    input: (given) => ({ chat_id: given.params.chatId }),
    ...done,
  }),
  route({
    method: "get",
    path: MESSAGE_PATH,
    name: "getChatMessage",
    effect: "read",
    operation: "messages.get",
    summary: documented({
      en: "One message of the chat, with its delivery status over time",
      pt: "Uma mensagem da conversa, com o status da entrega ao longo do tempo",
    }),
    failures: ["message_not_found"],
    params: messageParams,
    input: messageOf,
    ...one(views.messageDetail),
  }),
  route({
    method: "put",
    path: MESSAGE_PATH,
    name: "editMessage",
    effect: "change",
    operation: "messages.edit",
    summary: documented({
      en: "Edits the text or the caption of your own message, up to 15 minutes after sending",
      pt: "Edita o texto ou a legenda de uma mensagem sua, até 15 minutos depois do envio",
    }),
    description: documented({
      en: "Only your own messages, up to 15 minutes after they were sent.",
      pt: "Só mensagens suas, até 15 minutos depois do envio.",
    }),
    failures: [...ON_MESSAGE, "forbidden", "edit_window_closed"],
    example: { body: { text: "Olá, tudo bem?" } },
    params: messageParams,
    body: z.strictObject({ text: messageText }),
    input: (given) => ({ ...messageOf(given), text: given.body.text }),
    ...views.edited,
  }),
  route({
    method: "delete",
    path: MESSAGE_PATH,
    name: "deleteMessage",
    effect: "destructive",
    operation: "messages.delete",
    summary: documented({
      en: "Deletes a message for everyone, or only for this number",
      pt: "Apaga uma mensagem para todos, ou só para este número",
    }),
    failures: [...ON_MESSAGE, "forbidden", "delete_window_closed"],
    example: { query: { for_everyone: true } },
    params: messageParams,
    query: z.object({ for_everyone: optionalBoolean }),
    input: (given) => ({ ...messageOf(given), for_everyone: given.query.for_everyone ?? true }),
    ...done,
  }),
  route({
    method: "put",
    path: `${MESSAGE_PATH}/reaction`,
    name: "reactToMessage",
    effect: "change",
    operation: "messages.react",
    summary: documented({ en: "Reacts to a message", pt: "Reage a uma mensagem" }),
    description: documented({ en: "Empty removes the reaction.", pt: "Deixe vazio para remover a reação." }),
    failures: ON_MESSAGE,
    example: { body: { reaction: "👍" } },
    params: messageParams,
    body: z.strictObject({ reaction }),
    input: (given) => ({ ...messageOf(given), reaction: given.body.reaction }),
    ...done,
  }),
  route({
    method: "put",
    path: `${MESSAGE_PATH}/star`,
    name: "starMessage",
    effect: "change",
    operation: "messages.star",
    summary: documented({ en: "Stars or unstars a message", pt: "Marca ou desmarca uma mensagem como favorita" }),
    failures: [...PERSON_FAILURES, "message_not_found"],
    example: { body: { star: true } },
    params: messageParams,
    body: z.strictObject({ star: z.boolean() }),
    input: (given) => ({ ...messageOf(given), star: given.body.star }),
    ...done,
  }),
  route({
    method: "post",
    path: `${MESSAGE_PATH}/pin`,
    name: "pinMessage",
    effect: "change",
    operation: "messages.pin",
    summary: documented({ en: "Pins a message in the chat, for everyone", pt: "Fixa uma mensagem na conversa, para todos" }),
    failures: [...ON_MESSAGE, "not_group_admin"],
    example: { body: { duration_seconds: 86_400 } },
    params: messageParams,
    body: z.strictObject({ duration_seconds: z.literal(PIN_SECONDS) }),
    input: (given) => ({ ...messageOf(given), seconds: given.body.duration_seconds }),
    ...done,
  }),
  route({
    method: "post",
    path: `${MESSAGE_PATH}/unpin`,
    name: "unpinMessage",
    effect: "change",
    operation: "messages.pin",
    summary: documented({ en: "Unpins a message", pt: "Desafixa uma mensagem" }),
    failures: [...ON_MESSAGE, "not_group_admin"],
    params: messageParams,
    input: (given) => ({ ...messageOf(given), seconds: null }),
    ...done,
  }),
  route({
    method: "get",
    path: `${MESSAGE_PATH}/votes`,
    name: "getPollVotes",
    effect: "read",
    operation: "messages.votes",
    summary: documented({ en: "The votes of a poll, by option", pt: "Os votos de uma enquete, por opção" }),
    failures: ["message_not_found"],
    params: messageParams,
    input: messageOf,
    ...list(views.votes),
  }),
];
