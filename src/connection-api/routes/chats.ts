// Chats and their history.
import { z } from "@hono/zod-openapi";
import { historyOf } from "../../http/chat-history.ts";
import { renderChat } from "../render/chat.ts";
import { renderPicture } from "../render/contact.ts";
import { renderMessage } from "../render/message.ts";
import { route } from "../route.ts";
import { Picture, pictureSize } from "../schemas/contact.ts";
import { chatId, cursor, limit, moment, nextCursor, optionalBoolean } from "../schemas/fields.ts";
import { Chat, Message } from "../schemas/message.ts";

export const chatRoutes = [
  route({
    method: "get",
    path: "/chats",
    operation: "chats.list",
    tag: "chats",
    counted: true,
    cached: true,
    summary: "Chats, pinned ones first, then the most recent",
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
    render: ({ items, next_cursor }, rendering) => ({ data: items.map((item) => renderChat(item, rendering)), next_cursor }),
  }),
  route({
    method: "get",
    path: "/chats/{chatId}",
    operation: "chats.get",
    tag: "chats",
    counted: true,
    cached: true,
    summary: "One chat",
    params: z.object({ chatId }),
    input: ({ params }) => ({ chat_id: params.chatId }),
    response: z.object({ data: Chat }),
    render: (record, rendering) => ({ data: renderChat(record, rendering) }),
  }),
  route({
    method: "get",
    path: "/chats/{chatId}/picture",
    operation: "pictures.get",
    tag: "chats",
    counted: true,
    cached: true,
    summary: "The picture of the chat, copied to a link of ours",
    params: z.object({ chatId }),
    query: z.object({ size: pictureSize }),
    input: ({ params, query }) => ({ chat_id: params.chatId, size: query.size }),
    response: z.object({ data: Picture }),
    render: (picture, rendering) => ({ data: renderPicture(picture, rendering) }),
  }),
  route({
    method: "get",
    path: "/chats/{chatId}/messages",
    operation: "messages.list",
    tag: "chats",
    counted: true,
    cached: true,
    summary: "Messages of a chat, newest first",
    params: z.object({ chatId }),
    query: z.object({
      limit,
      cursor,
      before: moment.optional(),
      after: moment.optional(),
      from_me: optionalBoolean,
      type: z.string().max(64).optional(),
      q: z.string().max(200).optional(),
    }),
    input: ({ params, query }) => historyOf(params.chatId, query),
    response: z.object({ data: z.array(Message), next_cursor: nextCursor }),
    render: ({ items, next_cursor }, rendering) => ({ data: items.map((item) => renderMessage(item, rendering)), next_cursor }),
  }),
];
