import type { z } from "@hono/zod-openapi";
import { isoOfMsOrNull } from "../../http/times.ts";
import type { AuditFacts } from "../../protocol/audit.ts";
import { fail, type Outcome } from "../../protocol/failures.ts";
import { findOverview, type UserOverview } from "../../services/users/list.ts";
import { renderSubscription, renderUserFields } from "../account/render.ts";
import type { RequestContext } from "../request-context.ts";
import type { Audited } from "./admin-action.ts";
import type { AdminUser } from "./user-schemas.ts";

export type ShownUser = z.input<typeof AdminUser>;

export function renderOverview({ user, subscription, instances }: UserOverview): ShownUser {
  return {
    ...renderUserFields(user, instances),
    subscription: renderSubscription(subscription),
    last_seen_at: isoOfMsOrNull(user.lastSeenAt),
    is_confirmed: user.emailVerified,
    removal_at: isoOfMsOrNull(user.removalDueAt),
  };
}

/** Carries a change of this user out; answers the user as it is then. `facts`: what the audit log says of it, before and after. */
export async function changeUser(
  { c }: RequestContext,
  id: string,
  facts: (shown: ShownUser) => AuditFacts,
  change: (found: UserOverview) => Promise<Outcome<unknown>>,
): Promise<Outcome<Audited<ShownUser>>> {
  const before = await findOverview(c.env.DB, id);
  if (before === null) return fail("user_not_found");
  const changed = await change(before);
  if (!changed.ok) return changed;
  const after = await findOverview(c.env.DB, id);
  if (after === null) return fail("user_not_found");
  const shown = renderOverview(after);
  const audit = { target: id, before: facts(renderOverview(before)), after: facts(shown) };
  return { ok: true, value: { value: shown, audit } };
}
