// Users, as administrators see them.
import { z } from "@hono/zod-openapi";
import { CONTROLS_PROBLEM, emailAddress, hasNoControls } from "@gateway/domain/people/given-words.ts";
import { hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";
import type { SubscriptionTerms } from "../../services/subscriptions/set.ts";
import { iso, isoTime } from "../account/fields.ts";
import { Subscription, userFields } from "../me/schemas.ts";

const NAME_CHARACTERS = 100;

export const userId = z.string().max(64).openapi({ example: "a1b2c3d4e5f6" });

export const userName = z
  .string()
  .trim()
  .min(1)
  .refine((text) => hasAtMostCharacters(text, NAME_CHARACTERS), `must be at most ${NAME_CHARACTERS} characters`)
  .refine(hasNoControls, CONTROLS_PROBLEM)
  .openapi({ maxLength: NAME_CHARACTERS, example: "Ana Souza" });

export const role = z.enum(["user", "admin"]).openapi({ description: "`admin` may do everything under `/admin`" });

// Made by this `z`: only its schemas can be documented.
export const userEmail = z
  .string()
  .pipe(emailAddress)
  .openapi({ type: "string", format: "email", maxLength: 254, example: "ana@example.com" });

export const subscriptionTerms = z.strictObject({
  plan: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .refine(hasNoControls, CONTROLS_PROBLEM)
    .openapi({ description: "Its name, as the deployment calls it", example: "pro" }),
  status: z.enum(["active", "trialing", "past_due", "canceled"]).openapi({ description: "Whether it is paid" }),
  max_instances: z.number().int().min(0).max(10_000).openapi({ description: "How many instances the account may have", example: 50 }),
  current_period_end: isoTime.nullable().openapi({ description: "When it has to be paid again; null: never" }),
});

export const termsOf = ({ plan, status, max_instances, current_period_end }: z.output<typeof subscriptionTerms>): SubscriptionTerms => ({
  plan,
  status,
  maxInstances: max_instances,
  currentPeriodEnd: current_period_end,
});

export const AdminUser = z
  .object({
    ...userFields,
    subscription: Subscription,
    last_seen_at: iso.nullable().openapi({ description: "To the hour; null before the first time" }),
    is_confirmed: z.boolean().openapi({ description: "Whether the address has been proven by its mailbox" }),
    removal_at: iso.nullable().openapi({ description: "When everything of the account is removed; null while it stays", example: null }),
  })
  .openapi("AdminUser");
