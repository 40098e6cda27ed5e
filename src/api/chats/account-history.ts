import { says } from "../../http/openapi/text.ts";
import { z } from "@hono/zod-openapi";
import { historyOf } from "../../http/chat-history.ts";
import { INERT } from "../../http/file-headers.ts";
import { chatId, cursor, limit, optionalBoolean, timestamp } from "../fields.ts";
import { page } from "../answers.ts";
import { instanceId, queryBoolean } from "../account/fields.ts";
import { pageWithFiles } from "../messages/page-with-files.ts";
import { route } from "../route.ts";
import { VIEWS } from "../account/style.ts";

const messages = page(VIEWS.message);

export const chatHistoryRoute = route({
  name: "listChatMessages",
  effect: "read",
  method: "get",
  path: "/instances/{instanceId}/chats/{chatId}/messages",
  scope: "read",
  operation: "messages.list",
  counted: true,
  noStore: true,
  summary: { en: "Messages of a chat, newest first", pt: "Mensagens de uma conversa, as mais novas primeiro" },
  description: {
    en: "An unknown chat has no messages. `cursor` goes on where a page ended.",
    pt: "Uma conversa desconhecida não tem mensagens. `cursor` continua onde a página terminou.",
  },
  params: z.object({ instanceId, chatId }),
  query: z.object({
    limit,
    downloadMedia: queryBoolean.optional().openapi({
      type: "boolean",
      ...says({
        en: "Includes the content of files as Base64, 25 MB in all",
        pt: "Inclui o conteúdo dos arquivos em Base64, até 25 MB ao todo",
      }),
    }),
    cursor,
    before: timestamp.optional(),
    after: timestamp.optional(),
    from_me: optionalBoolean,
    type: z.string().max(64).optional(),
    q: z.string().max(200).optional(),
  }),
  input: ({ params, query }) => historyOf(params.chatId, query),
  response: messages.response,
  render: (found, context, { query }) => {
    if (query.downloadMedia !== true) return messages.render(found, context);
    const body = pageWithFiles(found, context);
    return context.c.body(body, 200, { ...INERT, "Content-Type": "application/json" });
  },
});
