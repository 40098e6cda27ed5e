// Creates a user for an administrator. The user sets the password by an emailed link, and nobody can sign in before that.
import { and, eq, exists, isNull, notExists, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { account, connection, user } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { endStreams } from "../accounts/guard.ts";
import { sendInvitation } from "../identity/password-links.ts";
import { setSubscription, type SubscriptionTerms } from "../subscriptions/set.ts";
import type { User } from "./user-table.ts";

export type Invitation = { email: string; name: string; role: User["role"]; subscription: SubscriptionTerms | null };

/** Fails with `email_taken`, or `unavailable` without leaving a user. Replaces an unconfirmed sign-up. */
export async function inviteUser(env: Env, { email, name, role, subscription }: Invitation, now: number): Promise<Outcome<User>> {
  const added = await addInvited(env.DB, { email: email.trim().toLowerCase(), name, role }, now);
  if (added === null) return fail("email_taken");
  const { invited, signedUp } = added;
  if (signedUp !== undefined) await endStreams(env, signedUp.id);
  try {
    if (subscription !== null) await setSubscription(env, invited.id, subscription, now);
  } catch (error) {
    log("account.invited_without_subscription", { user: invited.id, ...errorFields(error) });
    return undone(env, added);
  }
  try {
    await sendInvitation(env, invited, now);
  } catch (error) {
    log("account.invitation_not_mailed", { user: invited.id, ...errorFields(error) });
    return undone(env, added);
  }
  return succeed(invited);
}

type Added = { invited: User; signedUp: User | undefined };

async function undone(env: Env, { invited, signedUp }: Added): Promise<Outcome<never>> {
  const database = databaseOf(env.DB);
  const removal = () => database.delete(user).where(eq(user.id, invited.id));
  if (signedUp === undefined) await retriedWrite(removal);
  else {
    const { email } = signedUp;
    const back = () => database.insert(user).values(signedUp).onConflictDoUpdate({ target: user.id, set: { email } });
    await retriedWrite(() => database.batch([removal(), back()]));
  }
  return fail("unavailable");
}

async function addInvited(
  binding: D1Database,
  { email, name, role }: Omit<Invitation, "subscription">,
  now: number,
): Promise<Added | null> {
  const database = databaseOf(binding);
  const at = new Date(now);
  // A user of another issuer whose address is not verified keeps the account but loses the address.
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
  const [before, , , invited] = await database.batch([
    database.select().from(user).where(unconfirmed),
    database
      .update(user)
      .set({ email: placeholder, updatedAt: at })
      .where(and(unconfirmed, exists(signIn))),
    database.delete(user).where(and(unconfirmed, isNull(user.invitedAt), notExists(owned))),
    database.insert(user).values(row).onConflictDoNothing().returning(),
  ]);
  return invited[0] === undefined ? null : { invited: invited[0], signedUp: before[0] };
}
