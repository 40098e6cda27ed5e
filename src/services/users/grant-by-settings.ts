// Grants of the deployment's settings: the first administrator's role, and a subscription where none are sold.
import { and, eq, ne, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { subscription, user as users } from "../../db/schema.ts";
import { type Env, settingsOf } from "../../env.ts";
import { endStreams } from "../accounts/streams.ts";
import { enterWhere } from "../audit/log.ts";
import { oweRecords, pushRecordsOfOwner } from "../connections/owed-records.ts";
import type { User } from "./user-table.ts";

const ACTOR = "settings";

/** Whether `ADMIN_EMAIL` names this user, who has confirmed the address and is not an administrator yet. */
export function mayBecomeAdmin(env: Env, { email, emailVerified, role, status }: User): boolean {
  return emailVerified && role !== "admin" && status === "active" && email === settingsOf(env).ADMIN_EMAIL;
}

/** Call at creation and at sign-in; returns the changed user. An existing subscription stays, even an ended one. */
export async function grantBySettings(env: Env, user: User): Promise<User> {
  await giveSubscription(env, user.id);
  if (!mayBecomeAdmin(env, user)) return user;
  const act = { actorId: ACTOR, keyId: null, action: "updateUser", target: user.id, reason: "ADMIN_EMAIL", requestId: null };
  const facts = { name: user.name, role: user.role };
  const change = { target: user.id, before: facts, after: { ...facts, role: "admin" } };
  const database = databaseOf(env.DB);
  const isNone = and(eq(users.id, user.id), ne(users.role, "admin"));
  // One transaction, so that of several concurrent first requests only one promotes the administrator and writes an entry.
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
