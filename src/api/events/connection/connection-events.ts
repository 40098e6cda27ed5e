import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { STATUS_REASONS } from "@gateway/domain/instance/state.ts";
import { banInEvent } from "#root/src/http/number-health-fields.ts";
import { chatId, connectionStatus, happenedAt, isGroup, isoTime, phoneOrNull, timestamp } from "./fields.ts";

export const instanceStatus = z.strictObject({
  status: connectionStatus({ en: "The current status", pt: "O status atual" }),
  previous_status: connectionStatus({ en: "The previous status", pt: "O status anterior" }),
  reason: z.enum(STATUS_REASONS).openapi(says({ en: "The reason", pt: "O motivo" })),
  restriction: z
    .strictObject({
      type: z.literal("new_chats_blocked").openapi(
        says({
          en: "The network rejects messages to people who have not written before",
          pt: "O WhatsApp recusa mensagens para quem nunca escreveu",
        }),
      ),
      enforcement: z.string().openapi(says({ en: "WhatsApp's name for the restriction", pt: "O nome da restrição no WhatsApp" })),
      ends_at: isoTime({ en: "When it ends, if WhatsApp says so", pt: "Quando termina, se o WhatsApp informar" }).nullable(),
      detected_at: isoTime({ en: "When it was noticed", pt: "Quando foi percebida" }),
    })
    .nullable()
    .openapi(
      says({
        en: "The current restriction by WhatsApp, or null",
        pt: "A restrição atual do WhatsApp, ou null",
      }),
    ),
  ban: banInEvent,
  phone: phoneOrNull({
    en: "The connection's phone number; null while none is paired",
    pt: "Número da conexão; null enquanto nenhum está pareado",
  }),
  timestamp: happenedAt,
});

export const call = z.strictObject({
  call_id: z
    .string()
    .min(1)
    .openapi(says({ en: "Id of the call, for `/calls/reject`", pt: "Id da ligação, para `/calls/reject`" })),
  chat_id: chatId,
  from: phoneOrNull({ en: "Phone number of the caller; null when unknown", pt: "Número de quem ligou; null se desconhecido" }),
  is_video: z.boolean().openapi(says({ en: "Whether it is a video call", pt: "Se é uma ligação de vídeo" })),
  is_group: isGroup,
  status: z.enum(["received", "accepted", "rejected"]).openapi(
    says({
      en: "`received`: it rings; `accepted` and `rejected`: on another device of the number",
      pt: "`received`: está tocando; `accepted` e `rejected`: atendida ou recusada em outro dispositivo do número",
    }),
  ),
  timestamp: happenedAt,
});

export const presence = z.strictObject({
  chat_id: chatId,
  phone: phoneOrNull({ en: "Phone number of the person; null when unknown", pt: "Número da pessoa; null se desconhecido" }),
  is_group: isGroup,
  presence: z
    .enum(["online", "offline", "typing", "paused", "recording"])
    .openapi(says({ en: "`paused`: stopped typing or recording", pt: "`paused`: parou de digitar ou de gravar" })),
  last_seen: timestamp({
    en: "Unix seconds: when the person was last online, if they share it",
    pt: "Segundos Unix: quando a pessoa esteve online pela última vez, se ela permitir",
  }).nullable(),
  timestamp: happenedAt,
});

const labelId = z
  .string()
  .regex(/^\d+$/)
  .openapi(says({ en: "Id of the label", pt: "Id da etiqueta" }));
const labelName = z.string().openapi(says({ en: "Name of the label", pt: "Nome da etiqueta" }));

export const labelUpdated = z.strictObject({
  label_id: labelId,
  name: labelName,
  color: z
    .int()
    .min(0)
    .max(19)
    .openapi(says({ en: "Number of the colour, 0 to 19", pt: "Número da cor, de 0 a 19" })),
  color_hex: z
    .string()
    .regex(/^#[0-9a-f]{6}$/)
    .nullable()
    .openapi(says({ en: "The colour, as in WhatsApp's apps", pt: "A cor, como nos aplicativos do WhatsApp" })),
  timestamp: happenedAt,
});

const formerName = labelName
  .nullable()
  .openapi(says({ en: "Name of the label; null when unknown", pt: "Nome da etiqueta; null se desconhecido" }));

export const labelDeleted = z.strictObject({ label_id: labelId, name: formerName, timestamp: happenedAt });

export const labelledChat = z.strictObject({
  label_id: labelId,
  name: formerName,
  chat_id: chatId,
  phone: phoneOrNull({
    en: "Phone number of the other person; null in a group, or if unknown",
    pt: "Número da outra pessoa; null em um grupo, ou se desconhecido",
  }),
  timestamp: happenedAt,
});

export const webhookTest = z.strictObject({
  message: z
    .string()
    .min(1)
    .openapi(says({ en: "A sentence for people", pt: "Uma frase para pessoas lerem" })),
  timestamp: happenedAt,
});
