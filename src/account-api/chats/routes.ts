// Chats and their history.
import { z } from "@hono/zod-openapi";
import { historyOf } from "../../http/chat-history.ts";
import { pageWithFiles } from "../messages/page-with-files.ts";
import { renderMessage } from "../messages/render.ts";
import { ALL_KINDS, operation, type Family } from "../route.ts";

import { chatId, cursor, okResult, instanceId, limitUpTo, queryTime, nextCursor, ok, queryBoolean } from "../fields.ts";
import { Message } from "../messages/schemas.ts";
import { appUrlOf } from "../request-context.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";

const params = z.object({ instanceId, chatId });

const chatRoutes = [
  operation({
    name: "listMessages",
    effect: "read",
    method: "get",
    path: "/instances/{instanceId}/chats/{chatId}/messages",
    scope: "read",
    operation: "messages.list",
    kinds: ALL_KINDS,
    noStore: true,
    summary: "Messages of a chat, newest first",
    description: "An unknown chat has no messages. `cursor` goes on where a page ended.",
    params,
    query: z.object({
      limit: limitUpTo(200),
      downloadMedia: queryBoolean
        .optional()
        .openapi({ type: "boolean", description: "Includes the content of files as Base64, 25 MB in all" }),
      cursor,
      before: queryTime.optional(),
      after: queryTime.optional(),
      from_me: queryBoolean.optional(),
      type: z.string().max(64).optional(),
      q: z.string().max(200).optional(),
    }),
    input: ({ params, query }) => historyOf(params.chatId, query),
    response: z.object({ data: z.array(Message), next_cursor: nextCursor }),
    render: (page, context, { query }) => {
      const appUrl = appUrlOf(context);
      if (query.downloadMedia !== true)
        return { data: page.items.map((item) => renderMessage(item, appUrl)), next_cursor: page.next_cursor };
      const body = pageWithFiles(page, { bucket: context.c.env.MEDIA, appUrl, now: context.now });
      return context.c.body(body, 200, { "Content-Type": "application/json" });
    },
  }),
  operation({
    name: "markChatSeen",
    effect: "change",
    method: "post",
    path: "/instances/{instanceId}/chats/{chatId}/seen",
    scope: "send",
    operation: "chats.seen",
    summary: "Marks every message of the chat as read",
    failures: [...NETWORK_FAILURES, "chat_not_found"],
    params,
    input: ({ params }) => ({ chat_id: params.chatId }),
    response: ok,
    render: okResult,
  }),
];

export const chats: Family = {
  name: "chats",
  title: "Chats",
  description: "Chats of an instance and their history.",
  routes: [...chatRoutes],
};
