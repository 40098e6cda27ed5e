// One row per event type. A new type without a schema and an example is a compile error.
import { documented, says } from "#root/src/http/openapi/documentation.ts";
import type { Text } from "#root/src/http/openapi/text.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { CONNECTION_EVENT_ROWS, CONNECTION_EVENTS } from "@gateway/domain/webhooks/connection-events.ts";
import type { DocumentedWebhooks } from "#root/src/http/openapi/surface.ts";
import { capitalised } from "#root/src/http/openapi/webhooks.ts";
import { call, instanceStatus, labelDeleted, labelledChat, labelUpdated, presence, webhookTest } from "./connection-events.ts";
import { CONNECTION_EVENT_EXAMPLES } from "./examples.ts";
import { isoTime, phoneOrNull, groupId, happenedAt } from "./fields.ts";
import { messageDeleted, messageEdited, messageReaction, messageReceived, messageSent, messageStatus, pollVote } from "./message-events.ts";

const by = phoneOrNull({
  en: "Phone number of the person who did it; null if unknown",
  pt: "Número de quem fez a ação; null se desconhecido",
});

const groupParticipants = z.strictObject({
  chat_id: groupId,
  action: z
    .enum(["join", "leave", "promote", "demote"])
    .openapi(says({ en: "What happened to the participants", pt: "O que aconteceu com os participantes" })),
  participants: z
    .array(
      z.strictObject({
        phone: phoneOrNull({
          en: "Phone number of the participant; null when unknown",
          pt: "Número do participante; null se desconhecido",
        }),
        is_me: z.boolean().openapi(says({ en: "Whether it is this number", pt: "Se é o próprio número" })),
      }),
    )
    .min(1)
    .openapi(says({ en: "The people concerned", pt: "As pessoas envolvidas" })),
  by,
  reason: z
    .enum(["added", "invite_link", "request_approved", "left", "removed"])
    .nullable()
    .openapi(
      says({
        en: "How they joined or why they left; null for `promote` and `demote`, or if unknown",
        pt: "Como entraram ou por que saíram; null em `promote` e `demote`, ou se desconhecido",
      }),
    ),
  timestamp: happenedAt,
});

const adminsOnly = (what: Text) =>
  z.boolean().openapi(says({ en: `Whether only admins may ${what.en}`, pt: `Se só administradores podem ${what.pt}` }));

const groupUpdated = z.strictObject({
  chat_id: groupId,
  by,
  changed: z
    .strictObject({
      subject: z.string().openapi(says({ en: "The new name", pt: "O nome novo" })),
      description: z
        .string()
        .nullable()
        .openapi(says({ en: "The new description; null when it was removed", pt: "A descrição nova; null quando foi removida" })),
      messages_admins_only: adminsOnly({ en: "write messages", pt: "escrever mensagens" }),
      info_admins_only: adminsOnly({ en: "change name, description and picture", pt: "mudar o nome, a descrição e a foto" }),
      members_can_add: z
        .boolean()
        .openapi(says({ en: "Whether every member may add others", pt: "Se qualquer membro pode adicionar outros" })),
      join_approval: z
        .boolean()
        .openapi(says({ en: "Whether an admin has to approve new members", pt: "Se um administrador precisa aprovar quem entra" })),
      disappearing_seconds: z
        .int()
        .min(0)
        .openapi(
          says({
            en: "Seconds until messages disappear; 0: never",
            pt: "Segundos até as mensagens sumirem; 0: nunca",
          }),
        ),
      picture_changed: z.literal(true).openapi(says({ en: "The picture was changed or removed", pt: "Se a foto foi trocada ou removida" })),
      invite_link_changed: z
        .literal(true)
        .openapi(says({ en: "The invitation link was replaced", pt: "Se o link de convite foi substituído" })),
    })
    .partial()
    .openapi({ ...says({ en: "Only the changes", pt: "Só o que mudou" }), minProperties: 1 }),
  timestamp: happenedAt,
});

/** `webhook.test` is delivered, but cannot be subscribed to. */
export const CONNECTION_EVENT_TYPES = [...CONNECTION_EVENTS, "webhook.test"] as const;
export type ConnectionEventType = (typeof CONNECTION_EVENT_TYPES)[number];

const DATA = {
  "message.received": messageReceived,
  "message.sent": messageSent,
  "message.status": messageStatus,
  "instance.status": instanceStatus,
  "message.reaction": messageReaction,
  "message.edited": messageEdited,
  "message.deleted": messageDeleted,
  "group.participants": groupParticipants,
  "group.updated": groupUpdated,
  call: call,
  "poll.vote": pollVote,
  presence: presence,
  "label.updated": labelUpdated,
  "label.deleted": labelDeleted,
  "label.chat.added": labelledChat,
  "label.chat.removed": labelledChat,
  "webhook.test": webhookTest,
} as const satisfies Record<ConnectionEventType, z.ZodType>;

function summaryOf(type: ConnectionEventType): Text {
  if (type === "webhook.test")
    return { en: "Sent when the owner sends a test from the dashboard.", pt: "Enviado quando o dono envia um teste pelo painel." };
  const { en, pt } = CONNECTION_EVENT_ROWS[type].when;
  return { en: `Sent when ${en}.`, pt: `Enviado quando ${pt}.` };
}

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
      pt: "O número de telefone da conexão, só dígitos; null enquanto nenhum está pareado",
    }),
  })
  .openapi(says({ en: "The connection of the event", pt: "A conexão do evento" }));

export function connectionEventSchema<T extends ConnectionEventType>(type: T) {
  return z.strictObject({
    id: z
      .string()
      .regex(/^msg_[0-9a-z]{8,}$/)
      .openapi(
        says({
          en: "Id of the delivery, the same on every attempt and in the header `webhook-id`; use it to deduplicate",
          pt: "Id da entrega, o mesmo em cada tentativa e no cabeçalho `webhook-id`; use-o para descartar repetições",
        }),
      ),
    type: z.literal(type).openapi(says({ en: "The event", pt: "O evento" })),
    created_at: isoTime({ en: "When it happened, in UTC; sort by it", pt: "Quando aconteceu, em UTC; use para ordenar" }),
    instance,
    data: (DATA[type] as (typeof DATA)[T]).openapi(says({ en: "What happened", pt: "O que aconteceu" })),
  });
}

export const CONNECTION_WEBHOOKS: DocumentedWebhooks = {
  events: CONNECTION_EVENT_TYPES.map((type) => ({
    type,
    summary: summaryOf(type),
    schema: connectionEventSchema(type).openapi(`Connection${capitalised(type)}Event`, says(summaryOf(type))),
    example: CONNECTION_EVENT_EXAMPLES[type],
  })),
  headers: [
    {
      name: "webhook-id",
      required: true,
      description: documented({ en: "The `id` of the body.", pt: "O `id` do corpo." }),
      example: "msg_5f0c1d2e9b8a7c6d5e4f3a2b1c0d9e8f",
    },
    {
      name: "webhook-timestamp",
      required: true,
      description: documented({
        en: "Unix seconds: when the gateway signed this attempt.",
        pt: "Segundos Unix: quando o gateway assinou esta tentativa.",
      }),
      example: "1795176000",
    },
    {
      name: "webhook-signature",
      required: true,
      description: documented({
        en: "One or more `v1,<base64>`, separated by spaces: HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` (Standard Webhooks). For 24 hours after a rotation there are two.",
        pt: "Uma ou mais entradas `v1,<base64>`, separadas por espaços: HMAC-SHA256 de `<webhook-id>.<webhook-timestamp>.<body>` (Standard Webhooks). Nas 24 horas depois de uma troca são duas.",
      }),
      example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    },
  ],
  accepted: {
    en: "Accepted. Respond within 10 seconds. The gateway ignores the body.",
    pt: "Aceita. Responda em até 10 segundos. O gateway ignora o corpo.",
  },
  failed: {
    en: "Anything else is a failed attempt: another status, a redirect, or no response within 10 seconds. The gateway retries after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, with the same `webhook-id`. After 72 hours without an accepted delivery it disables the webhook.",
    pt: "Qualquer outro resultado conta como falha: outro status, um redirecionamento ou nenhuma resposta em 10 segundos. O gateway tenta de novo depois de 5 s, 5 min, 30 min, 2 h, 5 h, 10 h e 10 h, com o mesmo `webhook-id`. Depois de 72 horas sem entrega aceita, ele desliga o webhook.",
  },
};
