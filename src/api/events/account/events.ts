// One row per event type: a new type does not compile without a schema, texts and an example.
import { says } from "#root/src/http/openapi/documentation.ts";
import type { Text } from "#root/src/http/openapi/text.ts";
import * as z from "#root/src/http/openapi/zod.ts";
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
  "message.received": { summary: { en: "Sent when a message arrives.", pt: "Enviado quando chega uma mensagem." }, data: messageReceived },
  "message.sent": {
    summary: {
      en: "Sent when the number sends a message, through the API, the dashboard or a phone.",
      pt: "Enviado quando o número envia uma mensagem, pela API, pelo painel ou pelo telefone.",
    },
    data: messageSent,
  },
  "message.delivered": {
    summary: {
      en: "Sent when a sent message reaches the recipient's device.",
      pt: "Enviado quando uma mensagem enviada chega ao aparelho do destinatário.",
    },
    data: messageDelivered,
  },
  "message.read": {
    summary: { en: "Sent when the recipient reads a sent message.", pt: "Enviado quando uma mensagem enviada é lida." },
    data: messageRead,
  },
  "message.failed": {
    summary: { en: "Sent when a message could not be sent.", pt: "Enviado quando não foi possível enviar uma mensagem." },
    data: messageFailed,
  },
  "message.reaction": {
    summary: {
      en: "Sent when someone reacts to a message or removes the reaction.",
      pt: "Enviado quando alguém reage a uma mensagem ou tira a reação.",
    },
    data: messageReaction,
  },
  "instance.connected": {
    summary: { en: "Sent when an instance connects.", pt: "Enviado quando uma instância se conecta." },
    data: instanceConnected,
  },
  "instance.disconnected": {
    summary: { en: "Sent when an instance loses its connection.", pt: "Enviado quando uma instância perde a conexão." },
    data: instanceDisconnected,
  },
  "instance.qr": {
    summary: { en: "Sent when there is a new QR code to scan.", pt: "Enviado quando há um novo QR code para ler." },
    data: instanceQr,
  },
  "contact.created": {
    summary: {
      en: "Sent when a contact is saved, or seen for the first time.",
      pt: "Enviado quando um contato é salvo, ou visto pela primeira vez.",
    },
    data: contactCreated,
  },
  "group.joined": {
    summary: {
      en: "Sent when someone joins a group, including the number itself.",
      pt: "Enviado quando alguém entra em um grupo, inclusive o próprio número.",
    },
    data: groupJoined,
  },
  "group.left": { summary: { en: "Sent when someone leaves a group.", pt: "Enviado quando alguém sai de um grupo." }, data: groupLeft },
  "webhook.test": {
    summary: { en: "Sent when someone tests the endpoint.", pt: "Enviado quando alguém testa o endereço." },
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
          en: "Id of the delivery, the same on every attempt; use it to deduplicate",
          pt: "Id da entrega, o mesmo em cada tentativa; use-o para descartar repetições",
        }),
      ),
    event: z.literal(type).openapi(says({ en: "The event", pt: "O evento" })),
    instance_id: z.uuid().openapi(says({ en: "Id of the instance", pt: "Id da instância" })),
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
        en: "HMAC-SHA256 of the body with the endpoint's `secret`, in hex. Absent if the endpoint has no secret.",
        pt: "HMAC-SHA256 do corpo com o `secret` do endereço, em hexadecimal. Ausente se o endereço não tem segredo.",
      },
      example: "5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592",
    },
  ],
  accepted: {
    en: "Accepted. Respond within the endpoint's `timeout_ms` (default 5 seconds). The gateway ignores the body.",
    pt: "Aceita. Responda dentro do `timeout_ms` do endereço (padrão: 5 segundos). O gateway ignora o corpo.",
  },
  failed: {
    en: "Anything else is a failed attempt: another status, a redirect, or no response in time. The gateway retries up to `retry_count` times (default 3), after 10 s, 60 s, 5 min, 30 min and 2 h, with the same `id`.",
    pt: "Qualquer outra coisa é uma tentativa que falhou: outro status, um redirecionamento ou nenhuma resposta a tempo. O gateway tenta de novo até `retry_count` vezes (padrão: 3), depois de 10 s, 60 s, 5 min, 30 min e 2 h, com o mesmo `id`.",
  },
};
