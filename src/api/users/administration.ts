import { settingsOf } from "#root/src/env.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { AuditFacts } from "#root/src/services/audit/log.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { endStreams } from "#root/src/services/accounts/guard.ts";
import { activatedMail, deletionMail, suspendedMail } from "#root/src/services/identity/mails.ts";
import { sendNoticeTo } from "#root/src/services/mail/owner-notices.ts";
import type { Notice } from "#root/src/services/mail/send.ts";
import { setSubscription, type SubscriptionTerms } from "#root/src/services/subscriptions/set.ts";
import { type Subscription } from "#root/src/services/subscriptions/subscription.ts";
import { type Invitation, inviteUser } from "#root/src/services/users/invite.ts";
import {
  findOverview,
  listUsers,
  type UserFilter,
  type UserOverview,
  type UserPlace,
  demote,
  rename,
  setRole,
  type User,
} from "#root/src/services/users/user-table.ts";
import { activateUser, deleteUserLater, suspendUser } from "#root/src/services/users/suspend.ts";
import { isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import { type Administrator, type Audited, cut } from "../audit/page.ts";

export function renderUserFields({ id, email, name, role, status, createdAt }: User, instances: number) {
  return {
    id,
    email,
    name,
    role,
    status: status === "active" ? ("active" as const) : ("suspended" as const),
    instances_count: instances,
    created_at: createdAt.toISOString(),
  };
}

export function renderSubscription(subscription: Subscription | null) {
  if (subscription === null) return null;
  const { plan, status, maxInstances, currentPeriodEnd } = subscription;
  return { plan, status, max_instances: maxInstances, current_period_end: isoOfMsOrNull(currentPeriodEnd) };
}

export type ShownUser = ReturnType<typeof renderOverview>;

export function renderOverview({ user, subscription, instances }: UserOverview) {
  return {
    ...renderUserFields(user, instances),
    subscription: renderSubscription(subscription),
    last_seen_at: isoOfMsOrNull(user.lastSeenAt),
    is_confirmed: user.emailVerified,
    removal_at: isoOfMsOrNull(user.removalDueAt),
  };
}

export async function pageOfUsers(
  binding: D1Database,
  filter: UserFilter,
  { after, limit }: { after: UserPlace | null; limit: number },
): Promise<{ data: ShownUser[]; next: UserPlace | null }> {
  const { shown, last } = cut(await listUsers(binding, filter, { after, limit: limit + 1 }), limit);
  return {
    data: shown.map(renderOverview),
    next: last === undefined ? null : { createdAt: last.user.createdAt.getTime(), id: last.user.id },
  };
}

export async function shownUser(binding: D1Database, id: string): Promise<Outcome<ShownUser>> {
  const found = await findOverview(binding, id);
  return found === null ? fail("user_not_found") : { ok: true, value: renderOverview(found) };
}

export async function createUser({ c, now }: Administrator, wanted: Invitation): Promise<Outcome<Audited<ShownUser>>> {
  const invited = await inviteUser(c.env, wanted, now);
  if (!invited.ok) return invited;
  const found = await findOverview(c.env.DB, invited.value.id);
  if (found === null) return fail("unavailable");
  const shown = renderOverview(found);
  const { name, role } = wanted;
  const after = { email: shown.email, name, role, subscription: shown.subscription };
  return { ok: true, value: { value: shown, audit: { target: shown.id, before: null, after } } };
}

/** Administrators cannot change their own role, so at least one administrator always remains. */
export function updateUser(
  administrator: Administrator,
  id: string,
  wanted: { name?: string | undefined; role?: "user" | "admin" | undefined },
): Promise<Outcome<Audited<ShownUser>>> {
  return changeUser(
    administrator,
    id,
    ({ name, role }) => ({ name, role }),
    async ({ user: { role: current } }) => {
      const { DB } = administrator.c.env;
      const role = wanted.role ?? current;
      if (role !== current) {
        if (id === administrator.user.id) return fail("own_account");
        if (role === "admin") await setRole(DB, id, "admin");
        else if (!(await demote(DB, id))) return fail("last_administrator");
      }
      // Ends the streams even if the role is unchanged, because an earlier call may have failed just before this step.
      if (wanted.role !== undefined) await endStreams(administrator.c.env, id);
      if (wanted.name !== undefined) await rename(DB, id, wanted.name);
      return { ok: true, value: null };
    },
  );
}

const standing = ({ status, removal_at }: ShownUser) => ({ status, removal_at });

export function suspend(by: Administrator, id: string): Promise<Outcome<Audited<ShownUser>>> {
  return changeUser(by, id, standing, async () => {
    if (id === by.user.id) return fail("own_account");
    return suspendUser(by.c.env, id, ({ email }) => sendLater(by, id, suspendedMail(email, appUrlOf(by))));
  });
}

export function activate(by: Administrator, id: string): Promise<Outcome<Audited<ShownUser>>> {
  return changeUser(by, id, standing, () =>
    activateUser(by.c.env, id, by.now, ({ email }) => sendLater(by, id, activatedMail(email, appUrlOf(by)))),
  );
}

export function subscribe(by: Administrator, id: string, terms: SubscriptionTerms): Promise<Outcome<Audited<ShownUser>>> {
  return changeUser(
    by,
    id,
    ({ subscription }) => ({ ...subscription }),
    async () => {
      await setSubscription(by.c.env, id, terms, by.now);
      return { ok: true, value: null };
    },
  );
}

export function closeAccount(by: Administrator, id: string): Promise<Outcome<Audited<ShownUser>>> {
  return changeUser(by, id, standing, async () => {
    if (id === by.user.id) return fail("own_account");
    return deleteUserLater(by.c.env, id, by.now, ({ email, removalDueAt }) =>
      sendLater(by, id, deletionMail(email, appUrlOf(by), removalDueAt ?? by.now)),
    );
  });
}

/** `facts` are the fields that the audit log records, before and after the change. */
async function changeUser(
  { c }: Administrator,
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

const appUrlOf = ({ c }: Administrator): string => settingsOf(c.env).APP_URL;

/** Sends the email after the response, because the change is valid even if the email fails. */
function sendLater({ c, user }: Administrator, userId: string, notice: Notice): void {
  const failed = (error: unknown) => log("account.notice_not_mailed", { by: user.id, kind: notice.kind, ...errorFields(error) });
  c.executionCtx.waitUntil(sendNoticeTo(c.env, userId, notice).catch(failed));
}
