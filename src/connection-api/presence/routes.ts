// Presence of the number itself and of others.
import { z } from "@hono/zod-openapi";
import { conversationId, OwnPresenceView, ownPresenceBody, Presence } from "../chats/schemas.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { done, ok } from "../fields.ts";
import { type Family, route } from "../route.ts";
import { renderPresence } from "./render.ts";

const params = z.object({ chatId: conversationId });

const presenceRoutes = [
  route({
    method: "get",
    path: "/chats/{chatId}/presence",
    name: "getChatPresence",
    effect: "read",
    operation: "presence.get",
    counted: true,
    noStore: true,
    summary: "The presence in a chat",
    description:
      "The first read subscribes the chat. The network shows the presence of others only to those who show themselves online (`PUT /presence`).",
    failures: [...NETWORK_FAILURES, "number_not_on_network", "subscription_limit"],
    params,
    input: (given) => ({ chat_id: given.params.chatId }),
    response: z.object({ data: Presence }),
    render: (record) => ({ data: renderPresence(record) }),
  }),
  route({
    method: "post",
    path: "/chats/{chatId}/presence/subscribe",
    name: "subscribePresence",
    effect: "change",
    operation: "presence.subscribe",
    summary: "Subscribes the chat: the event presence starts to arrive. At most 500 chats",
    description: "Makes the event `presence` arrive for this chat. Up to 500 chats.",
    failures: [...NETWORK_FAILURES, "number_not_on_network", "subscription_limit"],
    params,
    input: (given) => ({ chat_id: given.params.chatId }),
    response: ok,
    render: done,
  }),
  route({
    method: "delete",
    path: "/chats/{chatId}/presence/subscribe",
    name: "unsubscribePresence",
    effect: "change",
    operation: "presence.unsubscribe",
    summary: "Unsubscribes the chat",
    failures: [],
    params,
    input: (given) => ({ chat_id: given.params.chatId }),
    response: ok,
    render: done,
  }),
  route({
    method: "put",
    path: "/presence",
    name: "setPresence",
    effect: "change",
    operation: "presence.set",
    summary: "Shows the number as online or offline; also holds after a reconnection",
    failures: [...NETWORK_FAILURES, "profile_name_unknown"],
    example: { body: { presence: "online" } },
    body: ownPresenceBody,
    input: ({ body }) => ({ presence: body.presence }),
    response: ok,
    render: done,
  }),
  route({
    method: "get",
    path: "/presence",
    name: "getPresence",
    effect: "read",
    operation: "presence.own",
    counted: true,
    cached: true,
    summary: "The presence of the number itself and the subscribed chats",
    failures: [],
    input: () => ({}),
    response: z.object({ data: OwnPresenceView }),
    render: (own) => ({ data: own }),
  }),
];

export const presence: Family = {
  name: "presence",
  title: "Presence",
  description: "The presence of the number itself.",
  routes: presenceRoutes,
};
