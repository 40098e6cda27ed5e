// One row per event type. A new type without a schema, texts and an example is a compile error.
import { documented, says } from "#root/src/http/openapi/documentation.ts";
import type { Text } from "#root/src/http/openapi/text.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { ACCOUNT_EVENTS } from "@gateway/domain/webhooks/style/account.ts";
import { STATUS_REASONS } from "@gateway/domain/instance/state.ts";
import type { DocumentedWebhooks } from "#root/src/http/openapi/surface.ts";
import { capitalised } from "#root/src/http/openapi/webhooks.ts";
import { ACCOUNT_EVENT_EXAMPLES } from "./examples.ts";
import { isoTime, digits, groupId, happenedAt, instanceId, person } from "./fields.ts";
import { messageDelivered, messageFailed, messageReaction, messageRead, messageReceived, messageSent } from "./message-events.ts";
import { banInEvent } from "#root/src/http/number-health-fields.ts";

const phoneNumber = digits({ en: "Phone number of the instance, digits only", pt: "Número da instância, só dígitos" });

const instanceConnected = z.strictObject({
  instance_id: instanceId,
  status: z.literal("connected").openapi(says({ en: "The status of the instance", pt: "O status da instância" })),
  phone_number: phoneNumber,
  profile_name: z
    .string()
    .nullable()
    .openapi(says({ en: "Name of the number's profile; null while unknown", pt: "Nome do perfil do número; null enquanto desconhecido" })),
});

const instanceDisconnected = z.strictObject({
  instance_id: instanceId,
  status: z.enum(["disconnected", "connecting", "failed"]).openapi(
    says({
      en: "`connecting`: reconnecting; `failed`: someone has to act, unless `will_reconnect` is true",
      pt: "`connecting`: está se reconectando; `failed`: alguém precisa agir, a menos que `will_reconnect` seja true",
    }),
  ),
  reason: z.enum(STATUS_REASONS).openapi(says({ en: "The reason", pt: "O motivo" })),
  phone_number: phoneNumber.nullable(),
  ban: banInEvent,
  will_reconnect: z.boolean().openapi(says({ en: "Whether the gateway reconnects on its own", pt: "Se o gateway se reconecta sozinho" })),
  timestamp: happenedAt,
});

const instanceQr = z.strictObject({
  instance_id: instanceId,
  qr: z
    .string()
    .regex(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/)
    .openapi(says({ en: "The QR code as a data URL (PNG)", pt: "O QR code como data URL (PNG)" })),
  raw: z
    .string()
    .min(1)
    .openapi(says({ en: "The text of the QR code", pt: "O texto do QR code" })),
  expires_at: isoTime({ en: "When the code expires; the next one follows", pt: "Quando o código expira; o próximo vem em seguida" }),
  attempt: z
    .int()
    .positive()
    .openapi(
      says({
        en: "1 for the first code of this pairing, then 2, and so on",
        pt: "1 para o primeiro código deste pareamento, depois 2, e assim por diante",
      }),
    ),
});

const membership = {
  group_id: groupId,
  participant: person({
    en: "The person; null if the phone number is unknown",
    pt: "A pessoa; null se o número for desconhecido",
  }),
  by: person({ en: "Who did it; null when unknown", pt: "Quem fez a ação; null se desconhecido" }),
  is_me: z.boolean().openapi(says({ en: "Whether it is this number", pt: "Se é o próprio número" })),
};

const groupJoined = z.strictObject({
  ...membership,
  reason: z
    .enum(["added", "invite_link", "request_approved", "created"])
    .nullable()
    .openapi(says({ en: "How the person joined; null if unknown", pt: "Como a pessoa entrou; null se desconhecido" })),
});

const groupLeft = z.strictObject({
  ...membership,
  reason: z
    .enum(["left", "removed"])
    .nullable()
    .openapi(says({ en: "Why the person left; null if unknown", pt: "Por que a pessoa saiu; null se desconhecido" })),
});

const contactCreated = z.strictObject({
  contact_id: z.string().openapi(says({ en: "Id of the contact's chat", pt: "Id da conversa do contato" })),
  phone_number: digits({ en: "Phone number of the contact, digits only", pt: "Número do contato, só dígitos" }).nullable(),
  name: z
    .string()
    .nullable()
    .openapi(says({ en: "The saved name", pt: "O nome salvo" })),
  push_name: z
    .string()
    .nullable()
    .openapi(says({ en: "The contact's own profile name", pt: "O nome que o contato usa no perfil" })),
  source: z.enum(["saved", "detected"]).openapi(
    says({
      en: "Saved by the owner, or seen for the first time",
      pt: "Se o dono salvou o contato, ou se ele apareceu pela primeira vez",
    }),
  ),
  timestamp: happenedAt,
});

const webhookTest = z.strictObject({
  message: z
    .string()
    .min(1)
    .openapi(says({ en: "A sentence for people", pt: "Uma frase para pessoas lerem" })),
  timestamp: happenedAt,
});

/** `webhook.test` is delivered, but cannot be subscribed to. */
export const ACCOUNT_EVENT_TYPES = [...ACCOUNT_EVENTS, "webhook.test"] as const;
export type AccountEventType = (typeof ACCOUNT_EVENT_TYPES)[number];

type EventRow = { summary: Text; data: z.ZodType };

const ROWS = {
  "message.received": {
    summary: documented({ en: "Sent when a message arrives.", pt: "Enviado quando chega uma mensagem." }),
    data: messageReceived,
  },
  "message.sent": {
    summary: documented({
      en: "Sent when the number sends a message, through the API, the dashboard or a phone.",
      pt: "Enviado quando o número envia uma mensagem, pela API, pelo painel ou pelo celular.",
    }),
    data: messageSent,
  },
  "message.delivered": {
    summary: documented({
      en: "Sent when a sent message reaches the recipient's device.",
      pt: "Enviado quando uma mensagem enviada chega ao dispositivo do destinatário.",
    }),
    data: messageDelivered,
  },
  "message.read": {
    summary: documented({ en: "Sent when the recipient reads a sent message.", pt: "Enviado quando uma mensagem enviada é lida." }),
    data: messageRead,
  },
  "message.failed": {
    summary: documented({ en: "Sent when a message could not be sent.", pt: "Enviado quando não foi possível enviar uma mensagem." }),
    data: messageFailed,
  },
  "message.reaction": {
    summary: documented({
      en: "Sent when someone reacts to a message or removes the reaction.",
      pt: "Enviado quando alguém reage a uma mensagem ou remove a reação.",
    }),
    data: messageReaction,
  },
  "instance.connected": {
    summary: documented({ en: "Sent when an instance connects.", pt: "Enviado quando uma instância se conecta." }),
    data: instanceConnected,
  },
  "instance.disconnected": {
    summary: documented({ en: "Sent when an instance loses its connection.", pt: "Enviado quando uma instância perde a conexão." }),
    data: instanceDisconnected,
  },
  "instance.qr": {
    summary: documented({ en: "Sent when there is a new QR code to scan.", pt: "Enviado quando há um novo QR code para ler." }),
    data: instanceQr,
  },
  "contact.created": {
    summary: documented({
      en: "Sent when a contact is saved, or seen for the first time.",
      pt: "Enviado quando um contato é salvo ou aparece pela primeira vez.",
    }),
    data: contactCreated,
  },
  "group.joined": {
    summary: documented({
      en: "Sent when someone joins a group, including the number itself.",
      pt: "Enviado quando alguém entra em um grupo, inclusive o próprio número.",
    }),
    data: groupJoined,
  },
  "group.left": {
    summary: documented({ en: "Sent when someone leaves a group.", pt: "Enviado quando alguém sai de um grupo." }),
    data: groupLeft,
  },
  "webhook.test": {
    summary: documented({ en: "Sent when someone tests the endpoint.", pt: "Enviado quando alguém testa o endpoint." }),
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
      description: documented({
        en: "HMAC-SHA256 of the body with the endpoint's `secret`, in hex. Absent if the endpoint has no secret.",
        pt: "HMAC-SHA256 do corpo com o `secret` do endpoint, em hexadecimal. Ausente se o endpoint não tem chave secreta.",
      }),
      example: "5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592",
    },
  ],
  accepted: {
    en: "Accepted. Respond within the endpoint's `timeout_ms` (default 5 seconds). The gateway ignores the body.",
    pt: "Aceita. Responda dentro do `timeout_ms` do endpoint (padrão: 5 segundos). O gateway ignora o corpo.",
  },
  failed: {
    en: "Anything else is a failed attempt: another status, a redirect, or no response in time. The gateway retries up to `retry_count` times (default 3), after 10 s, 60 s, 5 min, 30 min and 2 h, with the same `id`.",
    pt: "Qualquer outro resultado conta como falha: outro status, um redirecionamento ou nenhuma resposta a tempo. O gateway tenta de novo até `retry_count` vezes (padrão: 3), depois de 10 s, 60 s, 5 min, 30 min e 2 h, com o mesmo `id`.",
  },
};
