import type { z } from "@hono/zod-openapi";
import { LIMITS } from "../../domain/limits.ts";
import { isoOfMs, isoOfMsOrNull } from "../../http/times.ts";
import { MAX_WEBHOOKS } from "../../services/account-webhooks/create.ts";
import { ownedConnections } from "../../services/connections/access.ts";
import { findSubscription } from "../../services/subscriptions/subscription.ts";
import { mayAccess, type RequestContext } from "../request-context.ts";
import type { User } from "./schemas.ts";

/** The account of the caller. */
export async function renderUser(context: RequestContext): Promise<z.input<typeof User>> {
  const { c, user, key, scopes, now } = context;
  const [subscription, own] = await Promise.all([findSubscription(c.env.DB, user.id), ownedConnections(c.env.DB, user.id)]);
  const { id, email, name, role } = user;
  return {
    id,
    email,
    name,
    role,
    status: user.status === "active" ? "active" : "suspended",
    subscription:
      subscription === null
        ? null
        : {
            plan: subscription.plan,
            status: subscription.status,
            max_instances: subscription.maxInstances,
            current_period_end: isoOfMsOrNull(subscription.currentPeriodEnd),
          },
    instances_count: own.filter((instance) => mayAccess(context, instance)).length,
    created_at: user.createdAt.toISOString(),
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
