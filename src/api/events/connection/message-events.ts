import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { CONNECTION_SEND_FAILURE_CODES } from "@gateway/domain/webhooks/style/send-failures.ts";
import { MESSAGE_TYPES } from "@gateway/protocol/message.ts";
import { chatId, fromMe, happenedAt, isGroup, messageId, phone, phoneOrNull, timestamp } from "./fields.ts";

const media = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .openapi(
        says({
          en: "Temporary link to the file, without authentication. Null while there is no file",
          pt: "Link temporário para o arquivo, sem autenticação. Null enquanto não há arquivo",
        }),
      ),
    mimetype: z.string().openapi(says({ en: "Media type of the file", pt: "Tipo de mídia do arquivo" })),
  })
  .nullable()
  .openapi(says({ en: "The file of the message, or null", pt: "O arquivo da mensagem, ou null" }));

const title = z.string().openapi(says({ en: "Its displayed text", pt: "O texto mostrado" }));
const selected = z
  .union([
    z.strictObject({
      row_id: z.string().openapi(says({ en: "Id of the chosen row of a list", pt: "Id da linha escolhida de uma lista" })),
      title,
    }),
    z.strictObject({ button_id: z.string().openapi(says({ en: "Id of the pressed button", pt: "Id do botão tocado" })), title }),
  ])
  .optional()
  .openapi(
    says({
      en: "Only for `list_response` and `button_response`: the choice",
      pt: "Só em `list_response` e `button_response`: a escolha",
    }),
  );

const quoted = z
  .strictObject({
    message_id: z.string().openapi(says({ en: "Id of the quoted message", pt: "Id da mensagem citada" })),
    text: z
      .string()
      .nullable()
      .openapi(says({ en: "Text of the quoted message", pt: "Texto da mensagem citada" })),
  })
  .nullable()
  .openapi(says({ en: "The message that this one replies to, or null", pt: "A mensagem à qual esta responde, ou null" }));

const content = {
  is_group: isGroup,
  type: z.union([z.enum(MESSAGE_TYPES), z.string().min(1)]).openapi(
    says({
      en: "Type of the message. New types appear under WhatsApp's own name, so tolerate them",
      pt: "Tipo da mensagem. Tipos novos aparecem com o nome que o WhatsApp usa: aceite também os desconhecidos",
    }),
  ),
  text: z
    .string()
    .nullable()
    .openapi(
      says({ en: "The text or caption, or a description of the content", pt: "O texto ou a legenda, ou uma descrição do conteúdo" }),
    ),
  media,
  selected,
  quoted,
  mentions: z
    .array(phone({ en: "Phone number, digits only", pt: "Número de telefone, só dígitos" }))
    .openapi(says({ en: "Phone numbers of the people it mentions", pt: "Números das pessoas mencionadas" })),
  timestamp: timestamp({ en: "Unix seconds: when the message was sent", pt: "Segundos Unix: quando a mensagem foi enviada" }),
};

export const messageReceived = z.strictObject({
  message_id: messageId,
  chat_id: chatId,
  from: phoneOrNull({
    en: "Phone number of the sender; in a group, of the participant; null if unknown",
    pt: "Número de quem enviou; em um grupo, do participante; null se desconhecido",
  }),
  ...content,
  push_name: z
    .string()
    .nullable()
    .openapi(says({ en: "The sender's own profile name", pt: "O nome que quem enviou usa no perfil" })),
});

export const messageSent = z.strictObject({
  message_id: messageId,
  chat_id: chatId,
  to: phoneOrNull({ en: "Phone number of the recipient; null in a group", pt: "Número do destinatário; null em um grupo" }),
  ...content,
  reference: z
    .string()
    .nullable()
    .openapi(says({ en: "The `reference` of the request that sent it", pt: "A `reference` da requisição que a enviou" })),
  source: z.enum(["api", "dashboard", "phone"]).openapi(says({ en: "Where it was written", pt: "De onde foi enviada" })),
});

export const messageStatus = z.strictObject({
  message_id: messageId,
  chat_id: chatId,
  to: phoneOrNull({ en: "Phone number of the recipient; null in a group", pt: "Número do destinatário; null em um grupo" }),
  is_group: isGroup,
  status: z.enum(["delivered", "read", "played", "failed"]).openapi(says({ en: "It never moves back", pt: "Nunca volta atrás" })),
  phone: phoneOrNull({
    en: "Only in groups: who received, read or played it",
    pt: "Só em grupos: quem recebeu, leu ou ouviu",
  }).optional(),
  error: z
    .strictObject({
      codigo: z
        .enum(CONNECTION_SEND_FAILURE_CODES)
        .openapi(says({ en: "Stable; base your program's decisions on it", pt: "Estável; use-o nas decisões do seu sistema" })),
      mensagem: z
        .string()
        .min(1)
        .openapi(says({ en: "For people; it may change", pt: "Para pessoas lerem; pode mudar" })),
    })
    .optional()
    .openapi(says({ en: "Only with status `failed`: the reason", pt: "Só com o status `failed`: o motivo" })),
  timestamp: happenedAt,
});

const about = { message_id: messageId, chat_id: chatId };
const doneBy = phoneOrNull({
  en: "Phone number of the person who did it; null if unknown",
  pt: "Número de quem fez a ação; null se desconhecido",
});

export const messageReaction = z.strictObject({
  ...about,
  from: doneBy,
  is_group: isGroup,
  from_me: fromMe,
  reaction: z.string().openapi(says({ en: "The emoji; empty if the reaction was removed", pt: "O emoji; vazio se a reação foi removida" })),
  timestamp: happenedAt,
});

export const messageEdited = z.strictObject({
  ...about,
  from: doneBy,
  is_group: isGroup,
  from_me: fromMe,
  text: z.string().openapi(says({ en: "The new text", pt: "O texto novo" })),
  timestamp: happenedAt,
});

export const messageDeleted = z.strictObject({
  ...about,
  from: phoneOrNull({
    en: "Phone number of the author; null if unknown",
    pt: "Número de quem escreveu a mensagem; null se desconhecido",
  }),
  by: phoneOrNull({
    en: "Phone number of the person who deleted it, possibly a group admin; null if unknown",
    pt: "Número de quem apagou, talvez um administrador do grupo; null se desconhecido",
  }),
  is_group: isGroup,
  from_me: z.boolean().openapi(says({ en: "Whether this number wrote the message", pt: "Se foi este número que escreveu a mensagem" })),
  timestamp: happenedAt,
});

export const pollVote = z.strictObject({
  ...about,
  from: phoneOrNull({ en: "Phone number of the voter; null if unknown", pt: "Número de quem votou; null se desconhecido" }),
  is_group: isGroup,
  options: z.array(z.string()).openapi(
    says({
      en: "All options chosen now; empty if the vote was removed",
      pt: "Todas as opções escolhidas no momento; vazio se o voto foi removido",
    }),
  ),
  timestamp: happenedAt,
});
