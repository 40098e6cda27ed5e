// Status posts in answers and requests of the Connection API.
import { z } from "@hono/zod-openapi";
import { digits, iso, phoneOrNull, unixSeconds, messageType } from "../fields.ts";
import { Media } from "../messages/schemas.ts";

export const recipients = z
  .array(digits)
  .min(1)
  .max(2_000)
  .nullish()
  .openapi({ description: "Who may see it; without the field, all saved contacts (up to 2,000)" });

export const backgroundColor = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, { error: "deve ser uma cor como #1F7A5C" })
  .openapi({ example: "#1F7A5C" });

export const StatusPost = z
  .object({
    message_id: z.string(),
    from: phoneOrNull,
    phone: phoneOrNull,
    type: messageType,
    text: z.string().nullable(),
    media: Media.nullable(),
    background_color: z.string().nullable().openapi({ example: "#1F7A5C" }),
    timestamp: unixSeconds,
    expires_at: iso,
  })
  .openapi("StatusPost");
