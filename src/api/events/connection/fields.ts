// Phones are digits or null, and `timestamp` values are Unix seconds.
import { says } from "#root/src/http/openapi/documentation.ts";
import type { Text } from "#root/src/http/openapi/text.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { INSTANCE_STATUSES } from "@gateway/protocol/connection.ts";

const PHONE = /^[1-9]\d{6,14}$/;

export const phone = (text: Text) => z.string().regex(PHONE).openapi(says(text));

export const phoneOrNull = (text: Text) => z.string().regex(PHONE).nullable().openapi(says(text));

export const groupId = z
  .string()
  .regex(/^[\d-]{5,40}@g\.us$/)
  .openapi(says({ en: "Id of the group", pt: "Id do grupo" }));

export const chatId = z
  .string()
  .regex(/^([1-9]\d{6,14}@c\.us|\d{5,20}@lid|[\d-]{5,40}@g\.us|\d{5,40}@newsletter|status@broadcast)$/)
  .openapi(
    says({
      en: "Id of the chat, also for replies: `<phone>@c.us`, or the id of a group (`…@g.us`) or channel (`…@newsletter`); for your own status posts `status@broadcast`",
      pt: "Id da conversa, também para responder: `<telefone>@c.us`, ou o id de um grupo (`…@g.us`) ou canal (`…@newsletter`); em status próprios, `status@broadcast`",
    }),
  );

export const isGroup = z.boolean().openapi(says({ en: "Whether the chat is a group", pt: "Se a conversa é um grupo" }));

export const messageId = z
  .string()
  .min(1)
  .max(256)
  .openapi(
    says({
      en: "Id of the message; for your own sends, the id that the API returned",
      pt: "Id da mensagem; nos seus envios, o id que a API devolveu",
    }),
  );

export const fromMe = z.boolean().openapi(
  says({
    en: "Whether this number did it, through the API, the dashboard or the phone",
    pt: "Se foi este número que enviou, pela API, pelo painel ou pelo celular",
  }),
);

export const timestamp = (text: Text) => z.int().openapi(says(text));

export const happenedAt = timestamp({ en: "Unix seconds: when it happened", pt: "Segundos Unix: quando aconteceu" });

export const isoTime = (text: Text) => z.iso.datetime().openapi(says(text));

const STATUSES = INSTANCE_STATUSES.filter((status) => status !== "connecting");
export const connectionStatus = (text: Text) => z.enum(STATUSES).openapi(says(text));
