import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { CONTROLS_PROBLEM, emailAddress, hasNoControls } from "@gateway/domain/people/names-and-emails.ts";
import { hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";
import type { SubscriptionTerms } from "#root/src/services/subscriptions/set.ts";
import { iso, isoTime } from "../account/fields.ts";
import { Subscription, userFields } from "../me/view.ts";

const NAME_CHARACTERS = 100;

export const userId = z.string().max(64).openapi({ example: "a1b2c3d4e5f6" });

export const userName = z
  .string()
  .trim()
  .min(1)
  .refine((text) => hasAtMostCharacters(text, NAME_CHARACTERS), `must be at most ${NAME_CHARACTERS} characters`)
  .refine(hasNoControls, CONTROLS_PROBLEM)
  .openapi({ maxLength: NAME_CHARACTERS, example: "Ana Souza" });

export const role = z
  .enum(["user", "admin"])
  .openapi(says({ en: "`admin` can use everything under `/admin`", pt: "`admin` pode usar tudo em `/admin`" }));

// Only schemas that are made with this `z` can be documented.
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
    .openapi({ ...says({ en: "The deployment's name for the plan", pt: "O nome do plano na instalação" }), example: "pro" }),
  status: z
    .enum(["active", "trialing", "past_due", "canceled"])
    .openapi(says({ en: "Whether it is paid", pt: "Se o pagamento está em dia" })),
  max_instances: z
    .number()
    .int()
    .min(0)
    .max(10_000)
    .openapi({ ...says({ en: "The maximum number of instances of the account", pt: "O máximo de instâncias da conta" }), example: 50 }),
  current_period_end: isoTime
    .nullable()
    .openapi(says({ en: "When the next payment is due; null: never", pt: "Quando vence o próximo pagamento; null: sem vencimento" })),
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
    last_seen_at: iso
      .nullable()
      .openapi(says({ en: "Precise to the hour; null before the first time", pt: "Com precisão de uma hora; null antes da primeira vez" })),
    is_confirmed: z.boolean().openapi(says({ en: "Whether the user has verified the address", pt: "Se o usuário confirmou o endereço" })),
    removal_at: iso.nullable().openapi({
      ...says({
        en: "When the account is deleted; null if it is not scheduled",
        pt: "Quando a conta será apagada; null se não há data marcada",
      }),
      example: null,
    }),
  })
  .openapi("AdminUser");
