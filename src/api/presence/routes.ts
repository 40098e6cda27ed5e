import { documented } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { done, one } from "../responses.ts";
import { conversationId, ownPresenceBody } from "../chats/view.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { type Family, route } from "../route.ts";
import type { Views } from "../views.ts";

const params = z.object({ chatId: conversationId });

const presenceRoutes = (views: Views) => [
  route({
    method: "get",
    path: "/chats/{chatId}/presence",
    name: "getChatPresence",
    effect: "read",
    operation: "presence.get",
    counted: true,
    noStore: true,
    summary: documented({ en: "The presence in a chat", pt: "A presença em uma conversa" }),
    description: documented({
      en: "The first read subscribes to the chat. WhatsApp shows others' presence only to numbers that are online themselves (`PUT /presence`).",
      pt: "A primeira consulta já passa a acompanhar a conversa. O WhatsApp só mostra a presença dos outros a números que também estão online (`PUT /presence`).",
    }),
    failures: [...NETWORK_FAILURES, "number_not_on_network", "subscription_limit"],
    params,
    input: (given) => ({ chat_id: given.params.chatId }),
    ...one(views.presence),
  }),
  route({
    method: "post",
    path: "/chats/{chatId}/presence/subscribe",
    name: "subscribePresence",
    effect: "change",
    operation: "presence.subscribe",
    summary: documented({
      en: "Subscribes to the presence of a chat, for at most 500 chats",
      pt: "Passa a acompanhar a presença em uma conversa; no máximo 500 conversas",
    }),
    description: documented({
      en: "`GET …/presence` shows changes. The Connection API also sends them as the event `presence`. Up to 500 chats.",
      pt: "`GET …/presence` mostra as mudanças. A API da conexão também as envia como evento `presence`. Até 500 conversas.",
    }),
    failures: [...NETWORK_FAILURES, "number_not_on_network", "subscription_limit"],
    params,
    input: (given) => ({ chat_id: given.params.chatId }),
    ...done,
  }),
  route({
    method: "delete",
    path: "/chats/{chatId}/presence/subscribe",
    name: "unsubscribePresence",
    effect: "change",
    operation: "presence.unsubscribe",
    summary: documented({ en: "Unsubscribes from the chat", pt: "Deixa de acompanhar a presença" }),
    failures: [],
    params,
    input: (given) => ({ chat_id: given.params.chatId }),
    ...done,
  }),
  route({
    method: "put",
    path: "/presence",
    name: "setPresence",
    effect: "change",
    operation: "presence.set",
    summary: documented({
      en: "Shows the number as online or offline, also after a reconnect",
      pt: "Mostra o número online ou offline, também depois de uma reconexão",
    }),
    failures: [...NETWORK_FAILURES, "profile_name_unknown"],
    example: { body: { presence: "online" } },
    body: ownPresenceBody,
    input: ({ body }) => ({ presence: body.presence }),
    ...done,
  }),
  route({
    method: "get",
    path: "/presence",
    name: "getPresence",
    effect: "read",
    operation: "presence.own",
    counted: true,
    cached: true,
    summary: documented({
      en: "The number's own presence and that of subscribed chats",
      pt: "A presença do próprio número e as conversas acompanhadas",
    }),
    failures: [],
    input: () => ({}),
    ...one(views.ownPresence),
  }),
];

export const presence = (views: Views): Family => ({
  name: "presence",
  title: documented({ en: "Presence", pt: "Presença" }),
  description: documented({ en: "The number's own presence.", pt: "Presença do próprio número." }),
  routes: presenceRoutes(views),
});
