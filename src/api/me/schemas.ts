// The account itself (docs/use/account-api.md, "Authentication").
import { z } from "@hono/zod-openapi";
import { iso } from "../account/fields.ts";
import { scopes } from "../keys/schemas.ts";

export const Subscription = z
  .object({
    plan: z.string(),
    status: z.enum(["active", "trialing", "past_due", "canceled"]).openapi({ description: "Whether it is paid" }),
    max_instances: z.number().int(),
    current_period_end: iso.nullable(),
  })
  .nullable();

/** What everybody is told of a user who may see one. */
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
        id: z.string().openapi({ description: "The id of the key" }),
        name: z.string().openapi({ description: "The name of the key" }),
      })
      .optional()
      .openapi({ description: "The key of this call, if it has one" }),
    scopes,
    limits: z.object({
      requests_per_10_s: z.number().int(),
      identical_reads_per_minute: z.number().int(),
      body_bytes: z.number().int(),
      webhooks: z.number().int(),
    }),
  })
  .openapi("User");
