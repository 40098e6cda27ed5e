// One row per event type: a new type does not compile without a schema, texts and an example.
import { says, type Text } from "#root/src/http/openapi/text.ts";
import { z } from "@hono/zod-openapi";
import { CONNECTION_EVENTS } from "@gateway/domain/webhooks/connection-events.ts";
import type { DocumentedWebhooks } from "#root/src/http/openapi/surface.ts";
import { capitalised } from "#root/src/http/openapi/webhooks.ts";
import { call, instanceStatus, labelDeleted, labelledChat, labelUpdated, presence, webhookTest } from "./connection-events.ts";
import { CONNECTION_EVENT_EXAMPLES } from "./examples.ts";
import { isoTime, phoneOrNull } from "./fields.ts";
import { groupParticipants, groupUpdated } from "./group-events.ts";
import { messageDeleted, messageEdited, messageReaction, messageReceived, messageSent, messageStatus, pollVote } from "./message-events.ts";

/** `webhook.test` is delivered, but cannot be subscribed to. */
export const CONNECTION_EVENT_TYPES = [...CONNECTION_EVENTS, "webhook.test"] as const;
export type ConnectionEventType = (typeof CONNECTION_EVENT_TYPES)[number];

type EventRow = { summary: Text; data: z.ZodType };

const ROWS = {
  "message.received": {
    summary: {
      en: "Sent when a message arrived, in a group too (`is_group`).",
      pt: "Enviado quando chega uma mensagem, também em um grupo (`is_group`).",
    },
    data: messageReceived,
  },
  "message.sent": {
    summary: {
      en: "Sent when a message left the number, through the dashboard, the API or the phone.",
      pt: "Enviado quando uma mensagem sai do número, pelo painel, pela API ou pelo telefone.",
    },
    data: messageSent,
  },
  "message.status": {
    summary: {
      en: "Sent when a sent message was delivered, read, played, or failed.",
      pt: "Enviado quando uma mensagem enviada é entregue, lida, reproduzida ou falha.",
    },
    data: messageStatus,
  },
  "instance.status": {
    summary: {
      en: "Sent when the connection connected, dropped, failed or needs a QR scan.",
      pt: "Enviado quando a conexão conecta, cai, falha ou precisa da leitura de um QR.",
    },
    data: instanceStatus,
  },
  "message.reaction": {
    summary: { en: "Sent when a reaction was added or removed.", pt: "Enviado quando uma reação é posta ou retirada." },
    data: messageReaction,
  },
  "message.edited": {
    summary: { en: "Sent when a message was edited.", pt: "Enviado quando uma mensagem é editada." },
    data: messageEdited,
  },
  "message.deleted": {
    summary: { en: "Sent when a message was deleted for everyone.", pt: "Enviado quando uma mensagem é apagada para todos." },
    data: messageDeleted,
  },
  "group.participants": {
    summary: {
      en: "Sent when somebody joined, left, was promoted or demoted, perhaps the number itself.",
      pt: "Enviado quando alguém entra, sai, é promovido ou rebaixado, talvez o próprio número.",
    },
    data: groupParticipants,
  },
  "group.updated": {
    summary: {
      en: "Sent when name, description, picture or settings of a group changed.",
      pt: "Enviado quando nome, descrição, foto ou configurações de um grupo mudam.",
    },
    data: groupUpdated,
  },
  call: {
    summary: {
      en: "Sent when a call came in, or was answered or rejected on another device.",
      pt: "Enviado quando uma chamada chega, ou é atendida ou rejeitada em outro aparelho.",
    },
    data: call,
  },
  "poll.vote": {
    summary: {
      en: "Sent when somebody voted in a poll that the number sent.",
      pt: "Enviado quando alguém vota em uma enquete que o número enviou.",
    },
    data: pollVote,
  },
  presence: {
    summary: {
      en: "Sent when somebody in a subscribed chat went online or offline, or is typing or recording; off by default.",
      pt: "Enviado quando alguém em uma conversa inscrita fica online ou offline, digita ou grava; desligado por padrão.",
    },
    data: presence,
  },
  "label.updated": {
    summary: { en: "Sent when a label was created or edited.", pt: "Enviado quando uma etiqueta é criada ou editada." },
    data: labelUpdated,
  },
  "label.deleted": { summary: { en: "Sent when a label was deleted.", pt: "Enviado quando uma etiqueta é apagada." }, data: labelDeleted },
  "label.chat.added": {
    summary: { en: "Sent when a label was added to a chat.", pt: "Enviado quando uma etiqueta é posta em uma conversa." },
    data: labelledChat,
  },
  "label.chat.removed": {
    summary: { en: "Sent when a label was removed from a chat.", pt: "Enviado quando uma etiqueta é tirada de uma conversa." },
    data: labelledChat,
  },
  "webhook.test": {
    summary: { en: "Sent when the owner has asked for a test in the dashboard.", pt: "Enviado quando o dono pede um teste no painel." },
    data: webhookTest,
  },
} as const satisfies Record<ConnectionEventType, EventRow>;

const instance = z
  .strictObject({
    id: z
      .int()
      .positive()
      .openapi(says({ en: "Number of the connection", pt: "Número da conexão" })),
    name: z
      .string()
      .min(1)
      .openapi(says({ en: "Name of the connection", pt: "Nome da conexão" })),
    phone: phoneOrNull({
      en: "Its phone number, digits only; null while none is paired",
      pt: "O número de telefone dela, só dígitos; null enquanto nenhum está pareado",
    }),
  })
  .openapi(says({ en: "The connection it happened to", pt: "A conexão em que aconteceu" }));

export function connectionEventSchema<T extends ConnectionEventType>(type: T) {
  return z.strictObject({
    id: z
      .string()
      .regex(/^msg_[0-9a-z]{8,}$/)
      .openapi(
        says({
          en: "Id of the delivery, the same on every attempt and in the header `webhook-id`: deduplicate on it",
          pt: "Id da entrega, o mesmo em cada tentativa e no cabeçalho `webhook-id`: descarte repetições por ele",
        }),
      ),
    type: z.literal(type).openapi(says({ en: "The event", pt: "O evento" })),
    created_at: isoTime({ en: "When it happened, in UTC: sort by it", pt: "Quando aconteceu, em UTC: ordene por ele" }),
    instance,
    data: (ROWS[type].data as (typeof ROWS)[T]["data"]).openapi(says({ en: "What happened", pt: "O que aconteceu" })),
  });
}

export const CONNECTION_WEBHOOKS: DocumentedWebhooks = {
  events: CONNECTION_EVENT_TYPES.map((type) => ({
    type,
    summary: ROWS[type].summary,
    schema: connectionEventSchema(type).openapi(`Connection${capitalised(type)}Event`, says(ROWS[type].summary)),
    example: CONNECTION_EVENT_EXAMPLES[type],
  })),
  headers: [
    {
      name: "webhook-id",
      required: true,
      description: { en: "The `id` of the body.", pt: "O `id` do corpo." },
      example: "msg_5f0c1d2e9b8a7c6d5e4f3a2b1c0d9e8f",
    },
    {
      name: "webhook-timestamp",
      required: true,
      description: { en: "Unix seconds: when this attempt was signed.", pt: "Segundos Unix: quando esta tentativa foi assinada." },
      example: "1795176000",
    },
    {
      name: "webhook-signature",
      required: true,
      description: {
        en: "One or more `v1,<base64>`, separated by spaces: HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` (Standard Webhooks). There are two during the 24 hours after the secret was rotated.",
        pt: "Uma ou mais entradas `v1,<base64>`, separadas por espaços: HMAC-SHA256 de `<webhook-id>.<webhook-timestamp>.<body>` (Standard Webhooks). São duas nas 24 horas depois de trocar o segredo.",
      },
      example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    },
  ],
  accepted: {
    en: "Accepted. It has to come within 10 seconds; its body is ignored.",
    pt: "Aceita. Deve vir em até 10 segundos; o corpo é ignorado.",
  },
  failed: {
    en: "Everything else is a failed attempt: another status, a redirect, or no answer within 10 seconds. Attempts follow after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, with the same `webhook-id`. After 72 hours without an accepted delivery the webhook is disabled.",
    pt: "Todo o resto é uma tentativa que falhou: outro status, um redirecionamento ou nenhuma resposta em 10 segundos. Há novas tentativas depois de 5 s, 5 min, 30 min, 2 h, 5 h, 10 h e 10 h, com o mesmo `webhook-id`. Depois de 72 horas sem entrega aceita, o webhook é desligado.",
  },
};
