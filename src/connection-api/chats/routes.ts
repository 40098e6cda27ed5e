// Chats and their history.
import { z } from "@hono/zod-openapi";
import { historyOf } from "../../http/chat-history.ts";
import { renderPicture } from "../contacts/render.ts";
import { Picture, pictureSize } from "../contacts/schemas.ts";
import { PERSON_FAILURES } from "../failure-lists.ts";
import { chatId, cursor, limit, timestamp, nextCursor, optionalBoolean } from "../fields.ts";
import { renderMessage } from "../messages/render.ts";
import { Chat, Message } from "../messages/schemas.ts";
import { type Family, route } from "../route.ts";
import { chatActionRoutes } from "./actions.ts";
import { chatMessageRoutes } from "./messages.ts";
import { renderChat } from "./render.ts";

const chatRoutes = [
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
    response: z.object({ data: z.array(Chat), next_cursor: nextCursor }),
    render: ({ items, next_cursor }, context) => ({ data: items.map((item) => renderChat(item, context)), next_cursor }),
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
    response: z.object({ data: Chat }),
    render: (record, context) => ({ data: renderChat(record, context) }),
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
    response: z.object({ data: Picture }),
    render: (picture, context) => ({ data: renderPicture(picture, context) }),
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
    response: z.object({ data: z.array(Message), next_cursor: nextCursor }),
    render: ({ items, next_cursor }, context) => ({ data: items.map((item) => renderMessage(item, context)), next_cursor }),
  }),
];

export const chats: Family = {
  name: "chats",
  title: "Chats",
  description: "Chats and their history: read, archive, pin, mute, react, edit, delete.",
  routes: [...chatRoutes, ...chatActionRoutes, ...chatMessageRoutes],
};
