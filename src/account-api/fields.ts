// Fields that many routes of the Account API share.
import { z } from "@hono/zod-openapi";
import { hasAtMostCharacters } from "../domain/messages/characters.ts";
import { readChatId, readGroupId, readPersonId } from "../domain/chats/chat-id.ts";
import { LIMITS } from "../domain/limits.ts";
import { readAs, readTimestamp } from "../http/fields.ts";

export { iso, nextCursor, queryBoolean } from "../http/fields.ts";

/** A name: 1 to 60 characters (code points), not only white space. */
export const name = z
  .string()
  .trim()
  .min(1)
  .refine((text) => hasAtMostCharacters(text, LIMITS.keyNameCharacters), `must be at most ${LIMITS.keyNameCharacters} characters`)
  .openapi({ maxLength: LIMITS.keyNameCharacters, example: "Store" });

export const uuid = z.uuid().openapi({ example: "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b" });

export const instanceId = z.string().openapi({ format: "uuid", example: "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b" });

export const keyId = z.string().max(64).openapi({ format: "uuid", example: "0189a5b3-1a2b-7c3d-8e4f-5a6b7c8d9e0f" });
export const webhookId = z.string().max(64).openapi({ format: "uuid", example: "0189a5b2-9e1f-7a2b-8c3d-4e5f6a7b8c9d" });
export const deliveryId = z.string().max(64).openapi({ example: "msg_0123456789abcdef0123456789abcdef" });

export const digits = z
  .string()
  .refine((text) => /^[1-9]\d{6,14}$/.test(text), {
    error: "must be 7 to 15 digits, digits only, without a leading zero",
    params: { code: "invalid_number" },
  })
  .openapi({ example: "5511900000002" });

const EXAMPLE_CHAT_ID = "5511900000002@c.us";

export const chatId = z
  .string()
  .transform(readAs(readChatId, "is not the id of a chat"))
  .openapi({ type: "string", example: EXAMPLE_CHAT_ID });

export const groupId = z
  .string()
  .transform(readAs(readGroupId, "is not the id of a group"))
  .openapi({ type: "string", example: "120363041234567890@g.us" });

export const messageId = z.string().min(1).max(256).openapi({ example: "3EB0C431C26A1916E07A" });
export const labelId = z.string().min(1).max(64).openapi({ example: "1" });

/** A chat id of the form `<phone>@c.us`, or digits alone. */
export const participant = z
  .string()
  .transform(readAs(readPersonId, "must be <phone>@c.us", { code: "invalid_number" }))
  .openapi({ type: "string", example: EXAMPLE_CHAT_ID });

export function limitUpTo(max: number) {
  return z.coerce.number().int().min(1).max(max).default(50).openapi({ type: "integer", default: 50 });
}

export const cursor = z.string().min(1).max(512).optional().openapi({ description: "`next_cursor` of the page before" });

/** A time in a query, as ISO 8601 or Unix seconds; parsed to Unix seconds. */
export const queryTime = z
  .string()
  .transform(readAs(readTimestamp, "must be ISO 8601 or Unix seconds"))
  .openapi({ type: "string", format: "date-time", example: "2026-11-20T12:00:00Z" });

/** ISO 8601 with an offset; parsed to Unix ms. */
export const isoTime = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .openapi({ type: "string", format: "date-time", example: "2026-11-20T12:00:00Z" });

/** Answers. */
export const ok = z.object({ ok: z.literal(true) }).openapi("Ok");
export const okResult = (): z.input<typeof ok> => ({ ok: true });
export const message = z.object({ message: z.string() }).openapi("Result");
/** For a row whose answer is one sentence. */
export function messageResult(sentence: string) {
  return { response: message.openapi({ example: { message: sentence } }), render: () => ({ message: sentence }) };
}
export const phoneOrNull = z.string().nullable().openapi({ example: "5511900000002", description: "Digits; null when unknown" });
export const personIdOrNull = z.string().nullable().openapi({ example: EXAMPLE_CHAT_ID, description: "Null when the phone is unknown" });
