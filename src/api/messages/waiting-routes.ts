// Sends scheduled for a later time (docs/use/waiting-sends.md, "Lists and changes").
import { documented, says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { WAITS_FOR, type WaitingRecord } from "@gateway/protocol/operations/waiting.ts";
import { problem } from "#root/src/http/problems.ts";
import { isoOfMs } from "@gateway/domain/iso-times.ts";
import { one, page, view } from "../responses.ts";
import { EXAMPLE } from "../example-values.ts";
import { chatId, cursor, instantSeconds, iso, limit, messageId, messageText, messageType, phoneOrNull } from "../fields.ts";
import { route } from "../route.ts";
import type { Views } from "../views.ts";

const params = z.object({ messageId });

function waitingView({ media }: Views) {
  const WaitingSend = z
    .object({
      message_id: z.string(),
      chat_id: z.string(),
      to: phoneOrNull,
      type: messageType,
      text: z.string().nullable(),
      media: media.schema.nullable(),
      reference: z.string().nullable(),
      source: z.enum(["api", "dashboard"]),
      at: iso.openapi(says({ en: "When it will be sent", pt: "Quando será enviada" })),
      until: iso.openapi(says({ en: "It is never sent after this time", pt: "Depois deste horário, ela não é mais enviada" })),
      accepted_at: iso,
      waits_for: z.enum(WAITS_FOR).openapi(
        says({
          en: "`time`: it is not due. `connection`: the number is not connected. `pace`: the pacing or a rate limit. `restriction`: WhatsApp forbids new chats",
          pt: "`time`: ainda não é hora. `connection`: o número não está conectado. `pace`: o ritmo ou um limite de envios. `restriction`: o WhatsApp proíbe conversas novas",
        }),
      ),
    })
    .openapi("WaitingSend");
  return view(WaitingSend, (send: WaitingRecord, context) => ({
    ...send,
    media: send.media === null ? null : media.show(send.media, context),
    at: isoOfMs(send.at),
    until: isoOfMs(send.until),
    accepted_at: isoOfMs(send.accepted_at),
  }));
}

const cancelled = {
  response: z.object({
    data: z.object({
      count: z
        .number()
        .int()
        .openapi(says({ en: "How many sends were cancelled", pt: "Quantos envios foram cancelados" })),
    }),
  }),
  render: ({ count }: { count: number }) => ({ data: { count } }),
};

export function waitingRoutes(views: Views) {
  const waiting = waitingView(views);
  return [
    route({
      method: "get",
      path: "/messages/waiting",
      name: "listWaitingSends",
      effect: "read",
      operation: "waiting.list",
      summary: documented({ en: "Sends that wait, in the order of their times", pt: "Envios na fila, na ordem dos horários" }),
      failures: [],
      query: z.object({ chat_id: chatId.optional(), limit, cursor }),
      input: ({ query }) => ({ chat_id: query.chat_id ?? null, limit: query.limit, cursor: query.cursor ?? null }),
      ...page(waiting),
    }),
    route({
      method: "patch",
      path: "/messages/waiting/{messageId}",
      name: "updateWaitingSend",
      effect: "change",
      operation: "waiting.change",
      summary: documented({
        en: "Changes the time or the text of a send that waits",
        pt: "Muda o horário ou o texto de um envio na fila",
      }),
      description: documented({
        en: "A new `at` moves `until` by the same time. Once the send is under way, the answer is 409.",
        pt: "Um novo `at` desloca `until` pelo mesmo tempo. Quando o envio já está a caminho, a resposta é 409.",
      }),
      failures: ["message_not_found", "message_under_way"],
      example: { body: { at: "2030-01-15T18:00:00-03:00" } },
      params,
      body: z
        .strictObject({ at: instantSeconds.optional(), until: instantSeconds.optional(), text: messageText.optional() })
        .refine((changes) => Object.values(changes).some((value) => value !== undefined), problem("empty_change")),
      input: ({ params: { messageId: id }, body: { at, until, text } }) => ({
        message_id: id,
        ...(at === undefined ? {} : { at: at * 1000 }),
        ...(until === undefined ? {} : { until: until * 1000 }),
        ...(text === undefined ? {} : { text }),
      }),
      ...one(waiting),
    }),
    route({
      method: "delete",
      path: "/messages/waiting/{messageId}",
      name: "cancelWaitingSend",
      effect: "destructive",
      operation: "waiting.cancel",
      summary: documented({ en: "Cancels a send that waits, and deletes its file", pt: "Cancela um envio na fila, e apaga o arquivo" }),
      description: documented({
        en: "`count` is 0 if it does not wait: it is under way, has ended or was cancelled before.",
        pt: "`count` é 0 se ele não está na fila: está a caminho, já terminou ou já foi cancelado.",
      }),
      failures: [],
      params,
      input: ({ params: { messageId: id } }) => ({ message_id: id, chat_id: null }),
      ...cancelled,
    }),
    route({
      method: "delete",
      path: "/messages/waiting",
      name: "cancelWaitingSends",
      effect: "destructive",
      operation: "waiting.cancel",
      summary: documented({
        en: "Cancels all sends that wait, of the number or of one chat",
        pt: "Cancela todos os envios na fila, do número ou de uma conversa",
      }),
      failures: [],
      example: { query: { chat_id: EXAMPLE.chat } },
      query: z.object({ chat_id: chatId.optional() }),
      input: ({ query }) => ({ message_id: null, chat_id: query.chat_id ?? null }),
      ...cancelled,
    }),
  ];
}
