import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { iso } from "../account/fields.ts";
import { scopes } from "../keys/schemas.ts";

export const Subscription = z
  .object({
    plan: z.string(),
    status: z.enum(["active", "trialing", "past_due", "canceled"]).openapi(says({ en: "Whether it is paid", pt: "Se está paga" })),
    max_instances: z.number().int(),
    current_period_end: iso.nullable(),
  })
  .nullable();

export const userFields = {
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(["user", "admin"]),
  status: z.enum(["active", "suspended"]),
  instances_count: z.number().int(),
  created_at: iso,
};

export const User = z
  .object({
    ...userFields,
    subscription: Subscription,
    last_seen_at: iso,
    api_key: z
      .object({
        id: z.string().openapi(says({ en: "The id of the key", pt: "O id da chave" })),
        name: z.string().openapi(says({ en: "The name of the key", pt: "O nome da chave" })),
      })
      .optional()
      .openapi(says({ en: "The key of this call, if there is one", pt: "A chave desta chamada, se houver" })),
    scopes,
    limits: z.object({
      requests_per_10_s: z.number().int(),
      identical_reads_per_minute: z.number().int(),
      body_bytes: z.number().int(),
      webhooks: z.number().int(),
    }),
  })
  .openapi("User");
