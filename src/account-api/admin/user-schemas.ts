// Users, as administrators see them.
import { z } from "@hono/zod-openapi";
import { hasAtMostCharacters } from "../../domain/messages/characters.ts";
import { iso } from "../fields.ts";
import { Subscription, userFields } from "../account/schemas.ts";

const NAME_CHARACTERS = 100;

export const userId = z.string().max(64).openapi({ example: "a1b2c3d4e5f6" });

export const userName = z
  .string()
  .trim()
  .min(1)
  .refine((text) => hasAtMostCharacters(text, NAME_CHARACTERS), `must be at most ${NAME_CHARACTERS} characters`)
  .openapi({ maxLength: NAME_CHARACTERS, example: "Ana Souza" });

export const role = z.enum(["user", "admin"]).openapi({ description: "`admin` may do everything under `/admin`" });

export const AdminUser = z
  .object({
    ...userFields,
    subscription: Subscription,
    last_seen_at: iso.nullable().openapi({ description: "To the hour; null before the first time" }),
    is_confirmed: z.boolean().openapi({ description: "Whether the address has been proven by its mailbox" }),
    removal_at: iso.nullable().openapi({ description: "When everything of the account is removed; null while it stays", example: null }),
  })
  .openapi("AdminUser");
