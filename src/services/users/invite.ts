// A user whom an administrator creates. They set their password by the mailed link; until then nobody gets in.
import { and, eq, exists, isNull, notExists, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { account, connection, user } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { fail, type Outcome } from "../../protocol/failures.ts";
import { sendInvitation } from "../identity/password-links.ts";
import { setSubscription, type SubscriptionTerms } from "../subscriptions/set.ts";
import type { User } from "./user-table.ts";

export type Invitation = { email: string; name: string; role: User["role"]; subscription: SubscriptionTerms | null };

/**
 * Fails `email_taken`; `unavailable` when the mail could not be sent: then there is no such user. Somebody who only signed up with the
 * address, and never confirmed it, is the one who is invited.
 */
export async function inviteUser(env: Env, { email, name, role, subscription }: Invitation, now: number): Promise<Outcome<User>> {
  const invited = await addInvited(env.DB, { email: email.trim().toLowerCase(), name, role }, now);
  if (invited === null) return fail("email_taken");
  try {
    if (subscription !== null) await setSubscription(env, invited.id, subscription, now);
    await sendInvitation(env, invited, now);
  } catch (error) {
    log("account.invitation_not_mailed", { user: invited.id, ...errorFields(error) });
    await databaseOf(env.DB).delete(user).where(eq(user.id, invited.id));
    return fail("unavailable");
  }
  return { ok: true, value: invited };
}

/** null: the address is somebody's. */
async function addInvited(binding: D1Database, { email, name, role }: Omit<Invitation, "subscription">, now: number): Promise<User | null> {
  const database = databaseOf(binding);
  const at = new Date(now);
  // Who came by another issuer with an address that it did not verify has an account, and goes on without that address.
  const signIn = database
    .select({ one: sql`1` })
    .from(account)
    .where(eq(account.userId, user.id));
  const owned = database
    .select({ one: sql`1` })
    .from(connection)
    .where(eq(connection.ownerId, user.id));
  const unconfirmed = and(eq(user.email, email), eq(user.emailVerified, false), eq(user.status, "active"));
  const placeholder = `${crypto.randomUUID()}@unknown.invalid`;
  const row = { id: crypto.randomUUID(), email, name, role, emailVerified: false, invitedAt: now, createdAt: at, updatedAt: at };
  const [, , invited] = await database.batch([
    database
      .update(user)
      .set({ email: placeholder, updatedAt: at })
      .where(and(unconfirmed, exists(signIn))),
    database.delete(user).where(and(unconfirmed, isNull(user.invitedAt), notExists(owned))),
    database.insert(user).values(row).onConflictDoNothing().returning(),
  ]);
  return invited[0] ?? null;
}
