import { documented } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { MESSAGE_STATUSES } from "@gateway/protocol/records.ts";
import { one, page } from "../responses.ts";
import { cursor, limit, messageId, timestamp } from "../fields.ts";
import { type Family, route } from "../route.ts";
import type { Views } from "../views.ts";
import { cloudSendRoutes, structuredSendRoutes } from "./structured-sends.ts";
import { waitingRoutes } from "./waiting-routes.ts";
import { fileSendRoutes } from "./file-sends.ts";
import { textSendRoute } from "./text-send.ts";

const messageRoutes = (views: Views) => [
  ...waitingRoutes(views),
  // The response is not cached and does not count as a repeated read, because clients poll a message after an uncertain result.
  route({
    method: "get",
    path: "/messages/{messageId}",
    name: "getMessage",
    effect: "read",
    operation: "messages.get",
    summary: documented({
      en: "One message, with its delivery status over time",
      pt: "Uma mensagem, com o status da entrega ao longo do tempo",
    }),
    description: documented({
      en: "Does not count towards the repeated-read limit and is never cached, so you can poll it until the status changes.",
      pt: "Não conta no limite de consultas repetidas e nunca vem do cache, então você pode consultar até o status mudar.",
    }),
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
    summary: documented({ en: "Your own sends, by reference or status", pt: "Os seus envios, por referência ou status" }),
    description: documented({
      en: "Only sends of this number. Use it to find out whether an uncertain send went out.",
      pt: "Só envios deste número. Use para saber se uma mensagem incerta foi enviada.",
    }),
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
      // `after` is exclusive, but `since` is inclusive.
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
  title: documented({ en: "Messages", pt: "Mensagens" }),
  description: documented({
    en: "Send all kinds of messages, and look one up.",
    pt: "Enviar todos os tipos de mensagem, e consultar uma.",
  }),
  routes: [
    ...[textSendRoute, ...fileSendRoutes, ...structuredSendRoutes, ...cloudSendRoutes].map((send) => send(views)),
    ...messageRoutes(views),
  ],
});
