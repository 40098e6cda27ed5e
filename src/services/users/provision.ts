// The user behind a valid access token. The first token creates the user (docs/internals/architecture.md, "Identity").
import { and, eq, ne, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { account, accountKey, subscription, user as users, verification } from "../../db/schema.ts";
import { type Env, settingsOf } from "../../env.ts";
import type { Bearer } from "../identity/verify-bearer.ts";
import { grantToUser } from "../shares/shares.ts";
import { findUser, findUserByEmail, type User } from "./user-table.ts";
import { endStreams } from "../accounts/guard.ts";
import { enterWhere } from "../audit/log.ts";
import { oweRecords, pushRecordsOfOwner } from "../connections/pending-records.ts";

/** Returns null if the token is valid but may not create a user, because another user has this address. */
export async function provisionUser(env: Env, bearer: Bearer): Promise<User | null> {
  if (bearer.issuer === null) return findUser(env.DB, bearer.subject);
  const known = await linkedUser(env.DB, bearer.issuer, bearer.subject);
  if (known !== null) return mayBecomeAdmin(env, known) ? grantBySettings(env, known) : known;
  const user = await createOrLink(env.DB, bearer, bearer.issuer);
  return user === null ? null : grantBySettings(env, user);
}

async function linkedUser(binding: D1Database, issuer: string, subject: string): Promise<User | null> {
  const rows = await databaseOf(binding)
    .select({ user: users })
    .from(account)
    .innerJoin(users, eq(users.id, account.userId))
    .where(and(eq(account.providerId, issuer), eq(account.accountId, subject)))
    .limit(1);
  return rows[0]?.user ?? null;
}

/** Links by email only if the issuer verified it and the user confirmed it or was invited. An unconfirmed user loses the address. */
async function createOrLink(binding: D1Database, bearer: Bearer, issuer: string): Promise<User | null> {
  const claimed = bearer.email?.trim().toLowerCase() ?? placeholderAddress();
  const holder = await findUserByEmail(binding, claimed);
  if (holder?.emailVerified === true && !bearer.emailVerified) return null;
  const now = new Date();
  const isInvited = holder !== null && holder.invitedAt !== null && bearer.emailVerified;
  const isTheirs = holder !== null && (holder.emailVerified || isInvited);
  const id = isTheirs ? holder.id : crypto.randomUUID();
  const email = holder === null || bearer.emailVerified ? claimed : placeholderAddress();
  const database = databaseOf(binding);
  const newUser = { id, name: bearer.name ?? email, email, emailVerified: bearer.emailVerified, createdAt: now, updatedAt: now };
  const link = { id: crypto.randomUUID(), accountId: bearer.subject, providerId: issuer, userId: id, createdAt: now, updatedAt: now };
  // If two first requests run concurrently, the second finds the user that the first created.
  await retriedWrite(() =>
    database.batch([
      database
        .update(users)
        .set({ email: placeholderAddress(), updatedAt: now })
        .where(and(eq(users.email, bearer.emailVerified ? email : ""), eq(users.emailVerified, false), ne(users.id, id))),
      database
        .update(users)
        .set({ emailVerified: true, updatedAt: now })
        .where(and(eq(users.id, id), eq(users.emailVerified, false))),
      database.insert(users).values(newUser).onConflictDoNothing(),
      database.insert(account).values(link).onConflictDoNothing(),
      grantToUser(database, id),
    ]),
  );
  return linkedUser(binding, issuer, bearer.subject);
}

function placeholderAddress(): string {
  return `${crypto.randomUUID()}@unknown.invalid`;
}

// Grants by the deployment's settings: the first administrator's role, and a subscription if the deployment sells none.
const ACTOR = "settings";

/** True if `ADMIN_EMAIL` is the confirmed address of this user, who is not an administrator yet. */
function mayBecomeAdmin(env: Env, { email, emailVerified, role, status }: User): boolean {
  return emailVerified && role !== "admin" && status === "active" && email === settingsOf(env).ADMIN_EMAIL;
}

/** Call it at creation and sign-in. Returns the changed user. Keeps an existing subscription, even an ended one. */
export async function grantBySettings(env: Env, user: User): Promise<User> {
  await giveSubscription(env, user.id);
  if (!mayBecomeAdmin(env, user)) return user;
  const act = { actorId: ACTOR, keyId: null, action: "updateUser", target: user.id, reason: "ADMIN_EMAIL", requestId: null };
  const facts = { name: user.name, role: user.role };
  const change = { target: user.id, before: facts, after: { ...facts, role: "admin" } };
  const database = databaseOf(env.DB);
  const isNone = and(eq(users.id, user.id), ne(users.role, "admin"));
  // One transaction, so that only one of several concurrent first requests promotes the administrator and writes an entry.
  await retriedWrite(() =>
    database.batch([
      enterWhere(database, act, change, Date.now(), database.select().from(users).where(isNone)),
      database.update(users).set({ role: "admin", updatedAt: new Date() }).where(isNone),
    ]),
  );
  await endStreams(env, user.id);
  return { ...user, role: "admin" };
}

async function giveSubscription(env: Env, userId: string): Promise<void> {
  const { SUBSCRIPTIONS, SUBSCRIPTION_INSTANCES: maxInstances } = settingsOf(env);
  if (SUBSCRIPTIONS !== "open") return;
  const now = Date.now();
  const database = databaseOf(env.DB);
  const hasNone = sql`NOT EXISTS (SELECT 1 FROM subscription WHERE user_id = ${userId})`;
  const [, given] = await database.batch([
    oweRecords(database, userId, now, hasNone),
    database
      .insert(subscription)
      .values({ userId, plan: "open", status: "active", maxInstances, currentPeriodEnd: null, createdAt: now, updatedAt: now })
      .onConflictDoNothing()
      .returning({ userId: subscription.userId }),
  ]);
  if (given.length > 0) await pushRecordsOfOwner(env, userId);
}

/** Deletes existing keys and sign-ins, which may be another person's, and invalidates other links emailed to the address. */
export async function passwordWasSet(env: Env, userId: string): Promise<void> {
  const database = databaseOf(env.DB);
  const holder = await findUser(env.DB, userId);
  await retriedWrite(() => database.delete(verification).where(eq(verification.value, userId)));
  if (holder === null || holder.emailVerified) return;
  await retriedWrite(() =>
    database.batch([
      database.delete(account).where(and(eq(account.userId, userId), ne(account.providerId, "credential"))),
      database.delete(accountKey).where(eq(accountKey.userId, userId)),
      database.update(users).set({ emailVerified: true, updatedAt: new Date() }).where(eq(users.id, userId)),
      grantToUser(database, userId),
    ]),
  );
  await endStreams(env, userId);
  await grantBySettings(env, { ...holder, emailVerified: true });
}
