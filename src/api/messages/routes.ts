import { z } from "@hono/zod-openapi";
import { MESSAGE_STATUSES } from "@gateway/protocol/records.ts";
import { one, page } from "../answers.ts";
import { cursor, limit, messageId, timestamp } from "../fields.ts";
import { type Family, route } from "../route.ts";
import type { Views } from "../views.ts";
import { cloudSendRoutes } from "./cloud-sends.ts";
import { sendRoutes } from "./file-sends.ts";
import { structuredSendRoutes } from "./structured-sends.ts";

const messageRoutes = (views: Views) => [
  // Neither cached nor counted as a repeated read, because clients poll a message after an uncertain result.
  route({
    method: "get",
    path: "/messages/{messageId}",
    name: "getMessage",
    effect: "read",
    operation: "messages.get",
    summary: { en: "A message and its delivery status over time", pt: "Uma mensagem, com o caminho que ela fez" },
    description: {
      en: "Does not count towards the limit of repeated reads and never comes from the cache: it can be polled until the status changes.",
      pt: "Não conta no limite de consultas repetidas e nunca vem do cache: pode ser consultada até o status mudar.",
    },
    failures: ["message_not_found"],
    params: z.object({ messageId }),
    input: ({ params }) => ({ message_id: params.messageId, chat_id: null }),
    ...one(views.messageDetail),
  }),
  route({
    method: "get",
    path: "/messages",
    name: "listSentMessages",
    effect: "read",
    operation: "messages.list",
    summary: { en: "Own sends, by reference or status", pt: "Envios próprios, por referência ou status" },
    description: {
      en: "Only what this number sent: answers whether an uncertain send went out.",
      pt: "Só os envios deste número: responde se um envio incerto saiu.",
    },
    failures: [],
    example: { query: { reference: "pedido-1" } },
    query: z.object({
      limit,
      cursor,
      reference: z.string().max(128).optional(),
      status: z.enum(MESSAGE_STATUSES).optional(),
      since: timestamp.optional(),
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
    ...page(views.message),
  }),
];

export const messages = (views: Views): Family => ({
  name: "messages",
  title: { en: "Messages", pt: "Mensagens" },
  description: { en: "Sending every kind of message, and looking one up.", pt: "Envios de todos os tipos, e a consulta de uma mensagem." },
  routes: [...[...sendRoutes, ...structuredSendRoutes, ...cloudSendRoutes].map((send) => send(views)), ...messageRoutes(views)],
});
