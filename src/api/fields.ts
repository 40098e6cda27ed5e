import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { readChatId, readPersonId } from "@gateway/domain/chats/chat-id.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { hasAtMostCharacters, isOneEmoji } from "@gateway/domain/messages/characters.ts";
import { queryBoolean, readAs, readTimestamp } from "#root/src/http/fields.ts";
import { problem } from "#root/src/http/problems.ts";
import { MESSAGE_TYPES } from "@gateway/protocol/message.ts";
import { EXAMPLE } from "./example-values.ts";

export { iso, nextCursor } from "#root/src/http/fields.ts";

function isPhone(text: string): boolean {
  return /^[1-9]\d{6,14}$/.test(text);
}

function isChatId(given: unknown): boolean {
  return typeof given === "string" && given.includes("@") && readChatId(given) !== null;
}

/** Digits only. An invalid number has its own failure code (docs/use/apis.md, "Errors"). */
export const digits = z
  .string()
  .refine(isPhone, problem("not_a_phone", { code: "invalid_number" }))
  .openapi({ example: EXAMPLE.contact, ...says({ en: "Phone number, digits only", pt: "Número de telefone, só dígitos" }) });

/** Like `digits`, but for `to`, where callers often pass a chat id. */
export const destination = z
  .string()
  .refine((given) => isPhone(given) || isChatId(given), problem("not_a_phone", { code: "invalid_number" }))
  .refine((given) => isPhone(given) || !isChatId(given), problem("use_chat_id", { code: "invalid_number" }))
  .openapi({ example: EXAMPLE.contact, ...says({ en: "Phone number, digits only", pt: "Número de telefone, só dígitos" }) });

export const phone = z
  .string()
  .transform(readAs(readPhone, "not_a_person", { code: "invalid_number" }))
  .openapi({
    type: "string",
    example: EXAMPLE.contact,
    ...says({ en: "Phone number: digits, or `<phone>@c.us`", pt: "Número de telefone: dígitos, ou `<telefone>@c.us`" }),
  });

function readPhone(given: string): string | null {
  if (isPhone(given)) return given;
  const [digits = "", server] = (readPersonId(given) ?? "").split("@");
  return server === "c.us" ? digits : null;
}

export const chatId = z
  .string()
  .transform(readAs(readChatId, "not_a_chat_id"))
  .openapi({
    type: "string",
    example: EXAMPLE.chat,
    ...says({
      en: "Id of the chat, as in events; only digits also work",
      pt: "Id da conversa, como nos eventos; só dígitos também servem",
    }),
  });

export const messageId = z.string().min(1).max(256).openapi({ example: EXAMPLE.message });

/** Counts code points, not UTF-16 code units (docs/use/apis.md, "Ids, phones and times"). */
export function text(most: number): z.ZodString {
  return z
    .string()
    .min(1)
    .refine((value) => hasAtMostCharacters(value, most), problem("too_long", { most }))
    .openapi({ maxLength: most });
}

export const messageText = text(LIMITS.textCharacters);

export function optionalText(most: number) {
  return z
    .string()
    .refine((value) => hasAtMostCharacters(value, most), problem("too_long", { most }))
    .transform((value) => (value === "" ? null : value))
    .nullish()
    .transform((value) => value ?? null)
    .openapi({ type: ["string", "null"], maxLength: most });
}

export const caption = optionalText(LIMITS.captionCharacters);

export const reaction = z
  .string()
  .refine((value) => value === "" || isOneEmoji(value), problem("not_an_emoji"))
  .openapi({ example: "👍" });

export function flag(unless: boolean) {
  return z
    .boolean()
    .nullish()
    .transform((value) => value ?? unless)
    .openapi({ type: "boolean", default: unless });
}

export const optionalBoolean = queryBoolean.optional();

export const limit = z.coerce
  .number()
  .int()
  .min(1)
  .max(200)
  .default(50)
  .openapi({ type: "integer", minimum: 1, maximum: 200, default: 50 });
export const cursor = z
  .string()
  .min(1)
  .max(512)
  .optional()
  .openapi(says({ en: "The `next_cursor` of the previous page", pt: "O `next_cursor` da página anterior" }));

export const timestamp = z
  .string()
  .transform(readAs(readTimestamp, "not_a_time"))
  .openapi({
    type: "string",
    example: "2026-11-20T12:00:00Z",
    ...says({ en: "ISO 8601 or Unix seconds", pt: "ISO 8601 ou segundos Unix" }),
  });

/** A timestamp in a body, as a number of Unix seconds. */
export const timestampInBody = z.union([z.number().int().min(0).max(9_999_999_999), timestamp]).openapi({
  type: "string",
  example: "2030-01-15T14:00:00Z",
  ...says({ en: "ISO 8601, or Unix seconds", pt: "ISO 8601, ou segundos Unix" }),
});

/** A time in a body, as a number of Unix seconds. It requires an offset, because a time without one is ambiguous. */
export const instantSeconds = z
  .union([
    z.number().int().min(0).max(9_999_999_999),
    z.string().transform(readAs((text) => (/^\d{1,10}$|(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? readTimestamp(text) : null), "not_an_instant")),
  ])
  .openapi({
    type: "string",
    example: "2030-01-15T14:00:00-03:00",
    ...says({ en: "RFC 3339 with an offset, or Unix seconds", pt: "RFC 3339 com fuso, ou segundos Unix" }),
  });

export const ok = z.object({ ok: z.literal(true) }).openapi("Ok");
export const unixSeconds = z
  .number()
  .int()
  .openapi(says({ en: "Unix seconds", pt: "Segundos Unix" }));
export const phoneOrNull = z
  .string()
  .nullable()
  .openapi({ example: "5511900000002", ...says({ en: "Digits only; null when unknown", pt: "Só dígitos; null se desconhecido" }) });
/** Open-ended, because types that the network adds later keep the network's name. */
export const messageType = z.union([z.enum(MESSAGE_TYPES), z.string()]).openapi({ example: "text" });
