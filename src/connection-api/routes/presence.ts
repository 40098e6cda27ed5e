// Being online, and seeing who else is.
import { z } from "@hono/zod-openapi";
import { renderPresence } from "../render/presence.ts";
import { route } from "../route.ts";
import { conversationId, OwnPresenceView, ownPresenceBody, Presence } from "../schemas/chat.ts";
import { done, ok } from "../schemas/fields.ts";

const params = z.object({ chatId: conversationId });
const tag = "presence";

export const presenceRoutes = [
  route({
    method: "get",
    path: "/chats/{chatId}/presence",
    operation: "presence.get",
    tag,
    counted: true,
    noStore: true,
    summary: "The presence in a chat",
    params,
    input: (given) => ({ chat_id: given.params.chatId }),
    response: z.object({ data: Presence }),
    render: (record) => ({ data: renderPresence(record) }),
  }),
  route({
    method: "post",
    path: "/chats/{chatId}/presence/subscribe",
    operation: "presence.subscribe",
    tag,
    summary: "Subscribes the chat: the event presence starts to arrive. At most 500 chats",
    params,
    input: (given) => ({ chat_id: given.params.chatId }),
    response: ok,
    render: done,
  }),
  route({
    method: "delete",
    path: "/chats/{chatId}/presence/subscribe",
    operation: "presence.unsubscribe",
    tag,
    summary: "Unsubscribes the chat",
    params,
    input: (given) => ({ chat_id: given.params.chatId }),
    response: ok,
    render: done,
  }),
  route({
    method: "put",
    path: "/presence",
    operation: "presence.set",
    tag,
    summary: "Shows the number as online or offline; also holds after a reconnection",
    body: ownPresenceBody,
    input: ({ body }) => ({ presence: body.presence }),
    response: ok,
    render: done,
  }),
  route({
    method: "get",
    path: "/presence",
    operation: "presence.own",
    tag,
    counted: true,
    cached: true,
    summary: "The presence of the number itself and the subscribed chats",
    input: () => ({}),
    response: z.object({ data: OwnPresenceView }),
    render: (own) => ({ data: own }),
  }),
];
