import { says } from "#root/src/http/openapi/text.ts";
import { z } from "@hono/zod-openapi";
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
          en: "Link to the file; needs no authentication and works for a limited time. Null while there is no file",
          pt: "Link do arquivo; dispensa autenticação e funciona por tempo limitado. Null enquanto não há arquivo",
        }),
      ),
    mimetype: z.string().openapi(says({ en: "Media type of the file", pt: "Tipo de mídia do arquivo" })),
  })
  .nullable()
  .openapi(says({ en: "The file of the message, or null", pt: "O arquivo da mensagem, ou null" }));

const title = z.string().openapi(says({ en: "What was shown on it", pt: "O que estava escrito nela" }));
const selected = z
  .union([
    z.strictObject({
      row_id: z.string().openapi(says({ en: "Id of the chosen row of a list", pt: "Id da linha escolhida de uma lista" })),
      title,
    }),
    z.strictObject({ button_id: z.string().openapi(says({ en: "Id of the pressed button", pt: "Id do botão apertado" })), title }),
  ])
  .optional()
  .openapi(
    says({
      en: "Only for `list_response` and `button_response`: what was chosen",
      pt: "Só para `list_response` e `button_response`: o que foi escolhido",
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
  .openapi(says({ en: "The message this one answers, or null", pt: "A mensagem a que esta responde, ou null" }));

const content = {
  is_group: isGroup,
  type: z.union([z.enum(MESSAGE_TYPES), z.string().min(1)]).openapi(
    says({
      en: "Kind of the message. A kind that is newer than this list comes under the network's own name: tolerate it",
      pt: "Tipo da mensagem. Um tipo mais novo que esta lista vem com o nome que a rede lhe dá: tolere-o",
    }),
  ),
  text: z
    .string()
    .nullable()
    .openapi(says({ en: "Body, caption, or a description of the content", pt: "Texto, legenda ou uma descrição do conteúdo" })),
  media,
  selected,
  quoted,
  mentions: z
    .array(phone({ en: "Phone number, digits only", pt: "Telefone, só dígitos" }))
    .openapi(says({ en: "Phone numbers of the people it mentions", pt: "Números das pessoas mencionadas" })),
  timestamp: timestamp({ en: "Unix seconds: when the message was sent", pt: "Segundos Unix: quando a mensagem foi enviada" }),
};

export const messageReceived = z.strictObject({
  message_id: messageId,
  chat_id: chatId,
  from: phoneOrNull({
    en: "Phone number of the sender, in a group of the participant who wrote it; null when unknown",
    pt: "Número de quem enviou, em um grupo o do participante que escreveu; null quando desconhecido",
  }),
  ...content,
  push_name: z
    .string()
    .nullable()
    .openapi(says({ en: "The name the sender has given themselves", pt: "O nome que quem enviou deu a si mesmo" })),
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
  source: z.enum(["api", "dashboard", "phone"]).openapi(says({ en: "Where it was written", pt: "Onde foi escrita" })),
});

export const messageStatus = z.strictObject({
  message_id: messageId,
  chat_id: chatId,
  to: phoneOrNull({ en: "Phone number of the recipient; null in a group", pt: "Número do destinatário; null em um grupo" }),
  is_group: isGroup,
  status: z.enum(["delivered", "read", "played", "failed"]).openapi(says({ en: "It only moves forward", pt: "Só anda para a frente" })),
  phone: phoneOrNull({
    en: "Only in groups: who has received, read or played it",
    pt: "Só em grupos: quem recebeu, leu ou reproduziu",
  }).optional(),
  error: z
    .strictObject({
      codigo: z
        .enum(CONNECTION_SEND_FAILURE_CODES)
        .openapi(says({ en: "Stable: what a program decides by", pt: "Estável: é por ele que um sistema decide" })),
      mensagem: z
        .string()
        .min(1)
        .openapi(says({ en: "For people; may change", pt: "Para pessoas; pode mudar" })),
    })
    .optional()
    .openapi(says({ en: "Only with status `failed`: why", pt: "Só com o status `failed`: por quê" })),
  timestamp: happenedAt,
});

const about = { message_id: messageId, chat_id: chatId };
const doneBy = phoneOrNull({ en: "Phone number of who did it; null when unknown", pt: "Número de quem fez; null quando desconhecido" });

export const messageReaction = z.strictObject({
  ...about,
  from: doneBy,
  is_group: isGroup,
  from_me: fromMe,
  reaction: z
    .string()
    .openapi(says({ en: "The emoji; empty when the reaction was taken back", pt: "O emoji; vazio quando a reação foi retirada" })),
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
    en: "Phone number of who wrote the message; null when unknown",
    pt: "Número de quem escreveu a mensagem; null quando desconhecido",
  }),
  by: phoneOrNull({
    en: "Phone number of who deleted it, perhaps an admin of the group; null when unknown",
    pt: "Número de quem apagou, talvez um administrador do grupo; null quando desconhecido",
  }),
  is_group: isGroup,
  from_me: z
    .boolean()
    .openapi(says({ en: "Whether the number itself wrote the message", pt: "Se foi o próprio número que escreveu a mensagem" })),
  timestamp: happenedAt,
});

export const pollVote = z.strictObject({
  ...about,
  from: phoneOrNull({ en: "Phone number of who voted; null when unknown", pt: "Número de quem votou; null quando desconhecido" }),
  is_group: isGroup,
  options: z.array(z.string()).openapi(
    says({
      en: "All options that are chosen now; empty when the vote was taken back",
      pt: "Todas as opções escolhidas agora; vazio quando o voto foi retirado",
    }),
  ),
  timestamp: happenedAt,
});
