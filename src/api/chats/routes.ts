import { documented } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { historyOf } from "#root/src/http/chat-history.ts";
import { one, page } from "../responses.ts";
import { pictureSize, picture } from "../contacts/view.ts";
import { PERSON_FAILURES } from "../failure-lists.ts";
import { chatId, cursor, limit, optionalBoolean, timestamp } from "../fields.ts";
import { type Family, route } from "../route.ts";
import type { Views } from "../views.ts";
import { chatActionRoutes } from "./actions.ts";
import { chatMessageRoutes } from "./messages.ts";

const chatRoutes = (views: Views) => [
  route({
    method: "get",
    path: "/chats",
    name: "listChats",
    effect: "read",
    operation: "chats.list",
    counted: true,
    cached: true,
    summary: documented({
      en: "Chats: pinned ones first, then by last activity",
      pt: "Conversas: primeiro as fixadas, depois as mais recentes",
    }),
    failures: [],
    example: { query: { limit: 20 } },
    query: z.object({
      limit,
      cursor,
      archived: optionalBoolean,
      unread: optionalBoolean,
      kind: z.enum(["direct", "group", "channel"]).optional(),
      label_id: z.string().max(64).optional(),
      q: z.string().max(200).optional(),
    }),
    input: ({ query }) => ({
      limit: query.limit,
      cursor: query.cursor ?? null,
      archived: query.archived ?? null,
      unread: query.unread ?? null,
      kind: query.kind ?? null,
      label_id: query.label_id ?? null,
      q: query.q ?? null,
    }),
    ...page(views.chat),
  }),
  route({
    method: "get",
    path: "/chats/{chatId}",
    name: "getChat",
    effect: "read",
    operation: "chats.get",
    counted: true,
    cached: true,
    summary: documented({ en: "One chat", pt: "Uma conversa" }),
    failures: ["chat_not_found"],
    params: z.object({ chatId }),
    input: ({ params }) => ({ chat_id: params.chatId }),
    ...one(views.chat),
  }),
  route({
    method: "get",
    path: "/chats/{chatId}/picture",
    name: "getChatPicture",
    effect: "read",
    operation: "pictures.get",
    counted: true,
    cached: true,
    summary: documented({ en: "The picture of the chat, as a link to our copy", pt: "A foto da conversa, como link para a nossa cópia" }),
    failures: [...PERSON_FAILURES, "contact_not_found", "picture_not_found"],
    example: { query: { size: "preview" } },
    params: z.object({ chatId }),
    query: z.object({ size: pictureSize }),
    input: ({ params, query }) => ({ chat_id: params.chatId, size: query.size }),
    ...one(picture),
  }),
  route({
    method: "get",
    path: "/chats/{chatId}/messages",
    name: "listChatMessages",
    effect: "read",
    operation: "messages.list",
    counted: true,
    cached: true,
    summary: documented({ en: "Messages of a chat, newest first", pt: "Mensagens de uma conversa, da mais recente à mais antiga" }),
    failures: ["chat_not_found"],
    example: { query: { limit: 20 } },
    params: z.object({ chatId }),
    query: z.object({
      limit,
      cursor,
      before: timestamp.optional(),
      after: timestamp.optional(),
      from_me: optionalBoolean,
      type: z.string().max(64).optional(),
      q: z.string().max(200).optional(),
    }),
    input: ({ params, query }) => historyOf(params.chatId, query),
    ...page(views.message),
  }),
];

export const chats = (views: Views): Family => ({
  name: "chats",
  title: documented({ en: "Chats", pt: "Conversas" }),
  description: documented({
    en: "Chats and their history: read, archive, pin, mute, react, edit, delete.",
    pt: "Conversas e seu histórico: ler, arquivar, fixar, silenciar, reagir, editar, apagar.",
  }),
  routes: [...chatRoutes(views), ...chatActionRoutes, ...chatMessageRoutes(views)],
});
