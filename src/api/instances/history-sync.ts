import { z } from "@hono/zod-openapi";
import { route } from "../route.ts";
import { chatId } from "../fields.ts";
import { instanceId, messageResult } from "../account/fields.ts";
import { HistorySync } from "./schemas.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";

const path = "/instances/{instanceId}/history-sync";
const params = z.object({ instanceId });

export const historyRoutes = [
  route({
    name: "getHistorySync",
    effect: "read",
    method: "get",
    path,
    scope: "read",
    operation: "instance.history",
    counted: true,
    summary: { en: "How far the phone has come with handing over its history", pt: "Até onde o telefone já entregou o histórico" },
    params,
    input: () => ({}),
    response: z.object({ data: HistorySync }),
    render: (data) => ({ data }),
  }),
  route({
    name: "syncHistory",
    effect: "change",
    method: "post",
    path,
    scope: "manage",
    operation: "instance.sync_history",
    status: 202,
    summary: {
      en: "Asks the phone for older messages, of one chat or of the last ten",
      pt: "Pede ao telefone mensagens mais antigas, de uma conversa ou das dez últimas",
    },
    description: {
      en: "The phone must be switched on; it answers in its own time. When it has not answered within two minutes, the `state` of the history is `paused`; what it sends later is taken all the same. Each call reaches further back.",
      pt: "O telefone precisa estar ligado; ele responde no seu tempo. Se não responder em dois minutos, o `state` do histórico passa a `paused`; o que enviar depois é aproveitado mesmo assim. Cada chamada alcança mais atrás.",
    },
    failures: [...NETWORK_FAILURES, "chat_not_found"],
    example: { body: { chat_id: "5511900000002@c.us", count: 50 } },
    params,
    body: z.strictObject({ chat_id: chatId.nullish(), count: z.number().int().min(1).max(50).default(50) }),
    input: ({ body }) => ({ chat_id: body.chat_id ?? null, count: body.count }),
    ...messageResult("The phone has been asked. Older messages arrive in the history of the chats."),
  }),
];
