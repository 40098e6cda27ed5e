// Chats and their history.
import { z } from "@hono/zod-openapi";
import { historyOf } from "../../http/chat-history.ts";
import { one, page } from "../answers.ts";
import { pictureSize } from "../contacts/schemas.ts";
import { picture } from "../contacts/view.ts";
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
    summary: "Chats, pinned ones first, then the most recent",
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
    summary: "One chat",
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
    summary: "The picture of the chat, copied to a link of ours",
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
    summary: "Messages of a chat, newest first",
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
  title: "Chats",
  description: "Chats and their history: read, archive, pin, mute, react, edit, delete.",
  routes: [...chatRoutes(views), ...chatActionRoutes, ...chatMessageRoutes(views)],
});
