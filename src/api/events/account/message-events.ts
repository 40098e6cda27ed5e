import { says } from "#root/src/http/openapi/documentation.ts";
import type { Text } from "#root/src/http/openapi/text.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { ACCOUNT_SEND_FAILURE_CODES } from "@gateway/domain/webhooks/style/send-failures.ts";
import { MESSAGE_TYPES } from "@gateway/protocol/message.ts";
import { chatId, digits, happenedAt, isoTime, knownPerson, messageId, person, reference } from "./fields.ts";

const nullableText = (text: Text) => z.string().nullable().openapi(says(text));
const measure = (text: Text) => z.number().min(0).nullable().openapi(says(text));

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
    filename: nullableText({ en: "Name of the file", pt: "Nome do arquivo" }),
    size: measure({ en: "Size in bytes", pt: "Tamanho em bytes" }),
    duration_seconds: measure({ en: "Length of audio or video", pt: "Duração de áudio ou vídeo" }),
    width: measure({ en: "Width in pixels", pt: "Largura em pixels" }),
    height: measure({ en: "Height in pixels", pt: "Altura em pixels" }),
  })
  .nullable()
  .openapi(says({ en: "The file of the message, or null", pt: "O arquivo da mensagem, ou null" }));

const quoted = z
  .strictObject({
    message_id: z.string().openapi(says({ en: "Id of the quoted message", pt: "Id da mensagem citada" })),
    from: person({
      en: "Who wrote the quoted message; null when unknown",
      pt: "Quem escreveu a mensagem citada; null se desconhecido",
    }),
    text: nullableText({ en: "Text of the quoted message", pt: "Texto da mensagem citada" }),
    type: z.string().openapi(says({ en: "Kind of the quoted message", pt: "Tipo da mensagem citada" })),
  })
  .nullable()
  .openapi(says({ en: "The message that this one replies to, or null", pt: "A mensagem à qual esta responde, ou null" }));

const location = z
  .strictObject({
    latitude: z.number().openapi(says({ en: "Degrees north", pt: "Latitude em graus; norte é positivo" })),
    longitude: z.number().openapi(says({ en: "Degrees east", pt: "Longitude em graus; leste é positivo" })),
    name: nullableText({ en: "Name of the place", pt: "Nome do local" }),
    address: nullableText({ en: "Address of the place", pt: "Endereço do local" }),
  })
  .nullable()
  .openapi(says({ en: "The place, for `location`", pt: "O local, em `location`" }));

const contacts = z
  .array(
    z.strictObject({
      full_name: z.string().openapi(says({ en: "Name on the card", pt: "Nome no cartão" })),
      phone: digits({ en: "Phone number on the card, digits only", pt: "Número no cartão, só dígitos" }).nullable(),
      vcard: z.string().openapi(says({ en: "The whole card (vCard 3.0)", pt: "O cartão completo (vCard 3.0)" })),
    }),
  )
  .nullable()
  .openapi(says({ en: "The cards, for `contact`", pt: "Os cartões, em `contact`" }));

const poll = z
  .strictObject({
    question: z.string().openapi(says({ en: "The question", pt: "A pergunta" })),
    options: z.array(z.string()).openapi(says({ en: "The options", pt: "As opções" })),
    selectable_count: z.int().openapi(
      says({
        en: "How many options one person may choose; 0: any number",
        pt: "Quantas opções uma pessoa pode escolher; 0: quantas quiser",
      }),
    ),
  })
  .nullable()
  .openapi(says({ en: "The poll, for `poll`", pt: "A enquete, em `poll`" }));

const title = z.string().openapi(says({ en: "Its displayed text", pt: "O texto mostrado" }));
const selected = z
  .union([
    z.strictObject({
      row_id: z.string().openapi(says({ en: "Id of the chosen row of a list", pt: "Id da linha escolhida de uma lista" })),
      title,
    }),
    z.strictObject({ button_id: z.string().openapi(says({ en: "Id of the pressed button", pt: "Id do botão tocado" })), title }),
    z.null(),
  ])
  .openapi(
    says({
      en: "For `list_response` and `button_response`: the choice",
      pt: "Para `list_response` e `button_response`: a escolha",
    }),
  );

const type = z.union([z.enum(MESSAGE_TYPES), z.string().min(1)]).openapi(
  says({
    en: "Type of the message. New types appear under WhatsApp's own name, so tolerate them",
    pt: "Tipo da mensagem. Tipos novos aparecem com o nome que o WhatsApp usa: aceite também os desconhecidos",
  }),
);
const text = nullableText({
  en: "The text or caption, or a description of the content",
  pt: "O texto ou a legenda, ou uma descrição do conteúdo",
});
const sentAt = isoTime({ en: "When the message was sent", pt: "Quando a mensagem foi enviada" });

const about = { message_id: messageId, chat_id: chatId };

export const messageReceived = z.strictObject({
  ...about,
  from: person({
    en: "The sender; in a group, the participant; null if the phone number is unknown",
    pt: "Quem enviou; em um grupo, o participante; null se o número é desconhecido",
  }),
  type,
  text,
  timestamp: sentAt,
  is_group: z.boolean().openapi(says({ en: "Whether the chat is a group", pt: "Se a conversa é um grupo" })),
  participant: person({ en: "In a group the author, else null", pt: "Em um grupo, quem escreveu; senão, null" }),
  push_name: nullableText({ en: "The sender's own profile name", pt: "O nome que quem enviou usa no perfil" }),
  media,
  location,
  contacts,
  poll,
  selected,
  quoted,
  mentions: z
    .array(knownPerson({ en: "A person", pt: "Uma pessoa" }))
    .openapi(says({ en: "The people it mentions", pt: "As pessoas mencionadas" })),
  forwarded: z.boolean().openapi(says({ en: "Whether it was forwarded", pt: "Se foi encaminhada" })),
  view_once: z.boolean().openapi(says({ en: "Whether the recipient can open it only once", pt: "Se quem recebe só pode abrir uma vez" })),
});

const to = person({ en: "The recipient; null in a group", pt: "O destinatário; null em um grupo" });

export const messageSent = z.strictObject({
  ...about,
  to,
  type,
  text,
  source: z.enum(["api", "dashboard", "phone"]).openapi(says({ en: "Where it was written", pt: "De onde foi enviada" })),
  reference,
  media,
  quoted,
  timestamp: sentAt,
});

const progress = {
  to,
  participant: person({ en: "In a group the owner of the device, else null", pt: "Em um grupo, o dono do dispositivo; senão, null" }),
  reference,
  timestamp: happenedAt,
};
const status = <S extends string>(value: S) =>
  z.literal(value).openapi(says({ en: "The status of the message", pt: "O status da mensagem" }));

export const messageDelivered = z.strictObject({ ...about, status: status("delivered"), ...progress });

export const messageRead = z.strictObject({ ...about, status: status("read"), ...progress });

export const messageFailed = z.strictObject({
  ...about,
  status: status("failed"),
  to,
  error: z
    .strictObject({
      code: z
        .enum(ACCOUNT_SEND_FAILURE_CODES)
        .openapi(says({ en: "Stable; base your program's decisions on it", pt: "Estável; use-o nas decisões do seu programa" })),
      message: z
        .string()
        .min(1)
        .openapi(says({ en: "For people; it may change", pt: "Para pessoas lerem; pode mudar" })),
    })
    .openapi(says({ en: "The reason", pt: "O motivo" })),
  reference,
  timestamp: happenedAt,
});

export const messageReaction = z.strictObject({
  ...about,
  from: person({ en: "Who reacted; null when the phone number is unknown", pt: "Quem reagiu; null se o número é desconhecido" }),
  reaction: z.string().openapi(says({ en: "The emoji; empty if the reaction was removed", pt: "O emoji; vazio se a reação foi removida" })),
  from_me: z.boolean().openapi(says({ en: "Whether the number itself reacted", pt: "Se foi o próprio número que reagiu" })),
  timestamp: happenedAt,
});
