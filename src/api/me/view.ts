import type { z } from "zod";
import { LIMITS } from "@gateway/domain/limits.ts";
import { renderSubscription, renderUserFields } from "../users/administration.ts";
import { isoOfMs } from "../../http/times.ts";
import { MAX_WEBHOOKS } from "../../services/account-webhooks/change.ts";
import { countOwned, ownedConnections } from "../../services/connections/access.ts";
import { findSubscription } from "../../services/subscriptions/subscription.ts";
import { findUser } from "../../services/users/user-table.ts";
import { mayAccess, onlyInstances, type AccountContext } from "../context.ts";
import type { User } from "./schemas.ts";

/** null if the account was removed during the request. */
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
