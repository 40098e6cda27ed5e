import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";
import { CONTROLS_PROBLEM, hasNoControls } from "@gateway/domain/people/names-and-emails.ts";
import { LIMITS } from "@gateway/domain/limits.ts";

export { iso, nextCursor, queryBoolean } from "#root/src/http/fields.ts";

export const name = z
  .string()
  .trim()
  .min(1)
  .refine((text) => hasAtMostCharacters(text, LIMITS.keyNameCharacters), `must be at most ${LIMITS.keyNameCharacters} characters`)
  .refine(hasNoControls, CONTROLS_PROBLEM)
  .openapi({ maxLength: LIMITS.keyNameCharacters, example: "Store" });

export const uuid = z.uuid().openapi({ example: "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b" });

export const instanceId = z.string().openapi({ format: "uuid", example: "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b" });

export const keyId = z.string().max(64).openapi({ format: "uuid", example: "0189a5b3-1a2b-7c3d-8e4f-5a6b7c8d9e0f" });
export const webhookId = z.string().max(64).openapi({ format: "uuid", example: "0189a5b2-9e1f-7a2b-8c3d-4e5f6a7b8c9d" });
export const deliveryId = z.string().max(64).openapi({ example: "msg_0123456789abcdef0123456789abcdef" });

export function limitUpTo(max: number) {
  return z.coerce.number().int().min(1).max(max).default(50).openapi({ type: "integer", default: 50 });
}

export const cursor = z
  .string()
  .min(1)
  .max(512)
  .optional()
  .openapi(says({ en: "`next_cursor` of the page before", pt: "O `next_cursor` da página anterior" }));

export const isoTime = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .openapi({ type: "string", format: "date-time", example: "2026-11-20T12:00:00Z" });

export const message = z.object({ message: z.string() }).openapi("Result");
export function messageResult(sentence: string) {
  return { response: message.openapi({ example: { message: sentence } }), render: () => ({ message: sentence }) };
}
export const personIdOrNull = z
  .string()
  .nullable()
  .openapi({
    example: "5511900000002@c.us",
    ...says({ en: "Null when the phone is unknown", pt: "Null se o número é desconhecido" }),
  });
