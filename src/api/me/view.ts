import { LIMITS } from "@gateway/domain/limits.ts";
import { renderSubscription, renderUserFields } from "../users/administration.ts";
import { isoOfMs } from "@gateway/domain/iso-times.ts";
import { MAX_WEBHOOKS } from "#root/src/services/account-webhooks/create.ts";
import { countOwned, ownedConnections } from "#root/src/services/connections/access.ts";
import { findSubscription } from "#root/src/services/subscriptions/subscription.ts";
import { findUser } from "#root/src/services/users/user-table.ts";
import { mayAccess, onlyInstances, type AccountContext } from "../context.ts";
import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { iso } from "../account/fields.ts";
import { scopes } from "../keys/view.ts";

export const Subscription = z
  .object({
    plan: z.string(),
    status: z
      .enum(["active", "trialing", "past_due", "canceled"])
      .openapi(says({ en: "Whether it is paid", pt: "Se o pagamento está em dia" })),
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

/** Returns null if the account was removed during the request. */
export async function renderUser(context: AccountContext): Promise<z.input<typeof User> | null> {
  const { c, key, scopes, now } = context;
  const { id } = context.user;
  const [user, subscription, own] = await Promise.all([findUser(c.env.DB, id), findSubscription(c.env.DB, id), countReachable(context)]);
  if (user === null) return null;
  return {
    ...renderUserFields(user, own),
    subscription: renderSubscription(subscription),
    last_seen_at: isoOfMs(now),
    ...(key === null ? {} : { api_key: { id: key.id, name: key.name } }),
    scopes: [...scopes],
    limits: {
      requests_per_10_s: LIMITS.burst.requests,
      identical_reads_per_minute: LIMITS.repeatedRead.requests,
      body_bytes: LIMITS.bodyBytes,
      webhooks: MAX_WEBHOOKS,
    },
  };
}

async function countReachable(context: AccountContext): Promise<number> {
  const { c, user } = context;
  if (onlyInstances(context) === null) return countOwned(c.env.DB, user.id);
  return (await ownedConnections(c.env.DB, user.id)).filter((instance) => mayAccess(context, instance)).length;
}
