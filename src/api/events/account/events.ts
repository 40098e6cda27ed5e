// One row per event type: a new type does not compile without a schema, texts and an example.
import { says, type Text } from "#root/src/http/openapi/text.ts";
import { z } from "@hono/zod-openapi";
import { ACCOUNT_EVENTS } from "@gateway/domain/webhooks/style/account.ts";
import type { DocumentedWebhooks } from "#root/src/http/openapi/surface.ts";
import { capitalised } from "#root/src/http/openapi/webhooks.ts";
import { ACCOUNT_EVENT_EXAMPLES } from "./examples.ts";
import { isoTime } from "./fields.ts";
import {
  contactCreated,
  groupJoined,
  groupLeft,
  instanceConnected,
  instanceDisconnected,
  instanceQr,
  webhookTest,
} from "./instance-events.ts";
import { messageDelivered, messageFailed, messageReaction, messageRead, messageReceived, messageSent } from "./message-events.ts";

/** `webhook.test` is delivered, but cannot be subscribed to. */
export const ACCOUNT_EVENT_TYPES = [...ACCOUNT_EVENTS, "webhook.test"] as const;
export type AccountEventType = (typeof ACCOUNT_EVENT_TYPES)[number];

type EventRow = { summary: Text; data: z.ZodType };

const ROWS = {
  "message.received": { summary: { en: "Sent when a message arrived.", pt: "Enviado quando chega uma mensagem." }, data: messageReceived },
  "message.sent": {
    summary: {
      en: "Sent when a message of the number was sent, through the API, the dashboard or a phone.",
      pt: "Enviado quando uma mensagem do número é enviada, pela API, pelo painel ou por um telefone.",
    },
    data: messageSent,
  },
  "message.delivered": {
    summary: {
      en: "Sent when a sent message reached the recipient's device.",
      pt: "Enviado quando uma mensagem enviada chega ao aparelho do destinatário.",
    },
    data: messageDelivered,
  },
  "message.read": {
    summary: { en: "Sent when a sent message was read.", pt: "Enviado quando uma mensagem enviada é lida." },
    data: messageRead,
  },
  "message.failed": {
    summary: { en: "Sent when a message could not be sent.", pt: "Enviado quando uma mensagem não pôde ser enviada." },
    data: messageFailed,
  },
  "message.reaction": {
    summary: {
      en: "Sent when somebody reacted to a message, or took the reaction back.",
      pt: "Enviado quando alguém reage a uma mensagem ou retira a reação.",
    },
    data: messageReaction,
  },
  "instance.connected": {
    summary: { en: "Sent when an instance connected.", pt: "Enviado quando uma instância conecta." },
    data: instanceConnected,
  },
  "instance.disconnected": {
    summary: { en: "Sent when an instance lost its connection.", pt: "Enviado quando uma instância perde a conexão." },
    data: instanceDisconnected,
  },
  "instance.qr": {
    summary: { en: "Sent when there is a new QR code to scan.", pt: "Enviado quando há um novo QR code para ler." },
    data: instanceQr,
  },
  "contact.created": {
    summary: {
      en: "Sent when a contact was saved, or seen for the first time.",
      pt: "Enviado quando um contato é salvo, ou visto pela primeira vez.",
    },
    data: contactCreated,
  },
  "group.joined": {
    summary: {
      en: "Sent when somebody joined a group, perhaps the number itself.",
      pt: "Enviado quando alguém entra em um grupo, talvez o próprio número.",
    },
    data: groupJoined,
  },
  "group.left": { summary: { en: "Sent when somebody left a group.", pt: "Enviado quando alguém sai de um grupo." }, data: groupLeft },
  "webhook.test": {
    summary: { en: "Sent when a test of the endpoint was asked for.", pt: "Enviado quando se pede um teste do endpoint." },
    data: webhookTest,
  },
} as const satisfies Record<AccountEventType, EventRow>;

export function accountEventSchema<T extends AccountEventType>(type: T) {
  return z.strictObject({
    id: z
      .string()
      .regex(/^msg_[0-9a-z]{8,}$/)
      .openapi(
        says({
          en: "Id of the delivery, the same on every attempt: deduplicate on it",
          pt: "Id da entrega, o mesmo em cada tentativa: descarte repetições por ele",
        }),
      ),
    event: z.literal(type).openapi(says({ en: "The event", pt: "O evento" })),
    instance_id: z.uuid().openapi(says({ en: "Id of the instance it happened to", pt: "Id da instância em que aconteceu" })),
    timestamp: isoTime({ en: "When it happened, in UTC", pt: "Quando aconteceu, em UTC" }),
    data: (ROWS[type].data as (typeof ROWS)[T]["data"]).openapi(says({ en: "What happened", pt: "O que aconteceu" })),
  });
}

export const ACCOUNT_WEBHOOKS: DocumentedWebhooks = {
  events: ACCOUNT_EVENT_TYPES.map((type) => ({
    type,
    summary: ROWS[type].summary,
    schema: accountEventSchema(type).openapi(`Account${capitalised(type)}Event`, says(ROWS[type].summary)),
    example: ACCOUNT_EVENT_EXAMPLES[type],
  })),
  headers: [
    {
      name: "X-Service-Signature",
      required: false,
      description: {
        en: "Hex HMAC-SHA256 of the body with the endpoint's `secret`. Absent when the endpoint has none.",
        pt: "HMAC-SHA256 do corpo com o `secret` do endpoint, em hexadecimal. Ausente quando o endpoint não tem segredo.",
      },
      example: "5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592",
    },
  ],
  accepted: {
    en: "Accepted. It has to come within the endpoint's `timeout_ms` (5 seconds unless set); its body is ignored.",
    pt: "Aceita. Deve vir dentro do `timeout_ms` do endpoint (5 segundos, se não for definido); o corpo é ignorado.",
  },
  failed: {
    en: "Everything else is a failed attempt: another status, a redirect, or no answer in time. Up to `retry_count` attempts (3 unless set) follow, after 10 s, 60 s, 5 min, 30 min and 2 h, with the same `id`.",
    pt: "Todo o resto é uma tentativa que falhou: outro status, um redirecionamento ou nenhuma resposta a tempo. Seguem até `retry_count` tentativas (3, se não for definido), depois de 10 s, 60 s, 5 min, 30 min e 2 h, com o mesmo `id`.",
  },
};
