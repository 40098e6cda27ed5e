// Look-ups of messages for whoever is not sure of a send.
import { z } from "@hono/zod-openapi";
import { MESSAGE_STATUSES } from "../../protocol/records.ts";
import { renderMessage, renderMessageDetail } from "../render/message.ts";
import { route } from "../route.ts";
import { cursor, limit, messageId, moment, nextCursor } from "../schemas/fields.ts";
import { Message, MessageDetail } from "../schemas/message.ts";

export const messageRoutes = [
  // No cache and no repeated-read limit: polling one message after an uncertain result must be possible.
  route({
    method: "get",
    path: "/messages/{messageId}",
    operation: "messages.get",
    tag: "messages",
    summary: "A message and its delivery status over time",
    params: z.object({ messageId }),
    input: ({ params }) => ({ message_id: params.messageId, chat_id: null }),
    response: z.object({ data: MessageDetail }),
    render: (message, rendering) => ({ data: renderMessageDetail(message, rendering) }),
  }),
  route({
    method: "get",
    path: "/messages",
    operation: "messages.list",
    tag: "messages",
    summary: "Own sends, by reference or status",
    query: z.object({
      limit,
      cursor,
      reference: z.string().max(128).optional(),
      status: z.enum(MESSAGE_STATUSES).optional(),
      since: moment.optional(),
    }),
    input: ({ query }) => ({
      chat_id: null,
      limit: query.limit,
      cursor: query.cursor ?? null,
      before: null,
      // `after` is exclusive, `since` is not.
      after: query.since === undefined ? null : query.since - 1,
      from_me: true,
      type: null,
      reference: query.reference ?? null,
      status: query.status ?? null,
      q: null,
    }),
    response: z.object({ data: z.array(Message), next_cursor: nextCursor }),
    render: ({ items, next_cursor }, rendering) => ({ data: items.map((item) => renderMessage(item, rendering)), next_cursor }),
  }),
];
