// People are `<phone>@<network suffix>` or null, and times are ISO 8601.
import { says } from "#root/src/http/openapi/documentation.ts";
import type { Text } from "#root/src/http/openapi/text.ts";
import * as z from "#root/src/http/openapi/zod.ts";

const PERSON = /^[1-9]\d{6,14}@[a-z0-9.-]+$/;

export const person = (text: Text) => z.string().regex(PERSON).nullable().openapi(says(text));

/** Lists omit people without a known phone number. */
export const knownPerson = (text: Text) => z.string().regex(PERSON).openapi(says(text));

export const digits = (text: Text) =>
  z
    .string()
    .regex(/^[1-9]\d{6,14}$/)
    .openapi(says(text));

export const groupId = z
  .string()
  .regex(/^[\d-]{5,40}@g\.us$/)
  .openapi(says({ en: "Id of the group", pt: "Id do grupo" }));

export const chatId = z
  .string()
  .regex(/^([1-9]\d{6,14}@c\.us|\d{5,20}@lid|[\d-]{5,40}@g\.us|\d{5,40}@newsletter|status@broadcast)$/)
  .openapi(
    says({
      en: "Id of the chat: `<phone>@c.us`, or the id of a group (`…@g.us`) or channel (`…@newsletter`); for your own status posts `status@broadcast`",
      pt: "Id da conversa: `<telefone>@c.us`, ou o id de um grupo (`…@g.us`) ou canal (`…@newsletter`); em status próprios, `status@broadcast`",
    }),
  );

export const messageId = z
  .string()
  .min(1)
  .max(256)
  .openapi(says({ en: "Id of the message", pt: "Id da mensagem" }));

export const reference = z
  .string()
  .nullable()
  .openapi(says({ en: "The `reference` of the request that sent it", pt: "A `reference` da requisição que a enviou" }));

export const isoTime = (text: Text) => z.iso.datetime().openapi(says(text));

export const happenedAt = isoTime({ en: "When it happened", pt: "Quando aconteceu" });

export const instanceId = z.uuid().openapi(says({ en: "Id of the instance", pt: "Id da instância" }));
