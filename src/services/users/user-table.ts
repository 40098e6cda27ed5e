import { and, eq, exists, ne, sql, type SQL, desc, isNull, lt, or } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { type Database, databaseOf, contains } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { user, connection, subscription } from "../../db/schema.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import type { Subscription } from "../subscriptions/subscription.ts";

export type User = typeof user.$inferSelect;

/** Also returns null if the account is being removed. */
export async function findUser(binding: D1Database, id: string): Promise<User | null> {
  const which = and(eq(user.id, id), ne(user.status, "removed"));
  return (await databaseOf(binding).select().from(user).where(which).limit(1))[0] ?? null;
}

const SEEN_INTERVAL_MS = HOUR_MS;

export async function recordSeen(binding: D1Database, { id, lastSeenAt }: Pick<User, "id" | "lastSeenAt">, now: number): Promise<void> {
  if (now - (lastSeenAt ?? 0) < SEEN_INTERVAL_MS) return;
  await retriedWrite(() => databaseOf(binding).update(user).set({ lastSeenAt: now }).where(eq(user.id, id)));
}

export async function findUserByEmail(binding: D1Database, email: string): Promise<User | null> {
  return (await databaseOf(binding).select().from(user).where(eq(user.email, email.trim().toLowerCase())).limit(1))[0] ?? null;
}

export async function createUser(binding: D1Database, email: string, name: string): Promise<User> {
  const now = new Date();
  const row = { id: crypto.randomUUID(), email: email.trim().toLowerCase(), name, emailVerified: true, createdAt: now, updatedAt: now };
  await retriedWrite(() => databaseOf(binding).insert(user).values(row).onConflictDoNothing());
  const found = await findUserByEmail(binding, email);
  if (found === null) throw new Error("a user that was just created is missing");
  return found;
}

/** Adds a user without a password, so that nobody can sign in yet. Returns the existing user if the address is taken. */
export async function addUnconfirmedUser(binding: D1Database, email: string, name: string): Promise<User | null> {
  const now = new Date();
  const row = { id: crypto.randomUUID(), email: email.trim().toLowerCase(), name, emailVerified: false, createdAt: now, updatedAt: now };
  await retriedWrite(() => databaseOf(binding).insert(user).values(row).onConflictDoNothing());
  return findUserByEmail(binding, email);
}

export async function rename(binding: D1Database, userId: string, name: string): Promise<void> {
  await retriedWrite(() => databaseOf(binding).update(user).set({ name, updatedAt: new Date() }).where(eq(user.id, userId)));
}

export async function setRole(binding: D1Database, userId: string, role: User["role"]): Promise<void> {
  await retriedWrite(() => databaseOf(binding).update(user).set({ role, updatedAt: new Date() }).where(eq(user.id, userId)));
}

export async function demote(binding: D1Database, userId: string): Promise<boolean> {
  const database = databaseOf(binding);
  const which = and(eq(user.id, userId), anotherAdministrator(database, userId));
  const changed = await database.update(user).set({ role: "user", updatedAt: new Date() }).where(which).returning({ id: user.id });
  return changed.length > 0;
}

/** Use it in the statement that removes an administrator, so that two administrators cannot remove each other at the same time. */
export function anotherAdministrator(database: Database, userId: string): SQL {
  const other = alias(user, "other");
  // Excludes invited users who never signed in, because they cannot administer anything.
  const active = and(eq(other.role, "admin"), eq(other.status, "active"), eq(other.emailVerified, true), ne(other.id, userId));
  return exists(
    database
      .select({ one: sql`1` })
      .from(other)
      .where(active),
  );
}

export type UserOverview = { user: User; subscription: Subscription | null; instances: number };
export type UserPlace = { createdAt: number; id: string };

export type UserFilter = { status: "active" | "suspended" | null; q: string | null };

const notRemoved = ne(user.status, "removed");

export function listUsers(
  binding: D1Database,
  { status, q }: UserFilter,
  { after, limit }: { after: UserPlace | null; limit: number },
): Promise<UserOverview[]> {
  const beyond =
    after === null
      ? undefined
      : or(lt(user.createdAt, new Date(after.createdAt)), and(eq(user.createdAt, new Date(after.createdAt)), lt(user.id, after.id)));
  return overviews(binding, [
    status === null ? notRemoved : eq(user.status, status),
    q === null ? undefined : or(contains(user.name, q), contains(user.email, q)),
    beyond,
  ])
    .orderBy(desc(user.createdAt), desc(user.id))
    .limit(limit);
}

export async function findOverview(binding: D1Database, id: string): Promise<UserOverview | null> {
  return (await overviews(binding, [eq(user.id, id), notRemoved]).limit(1))[0] ?? null;
}

function overviews(binding: D1Database, conditions: readonly (SQL | undefined)[]) {
  const database = databaseOf(binding);
  const owned = database.$count(connection, and(eq(connection.ownerId, user.id), isNull(connection.removedAt)));
  return database
    .select({ user, subscription, instances: owned })
    .from(user)
    .leftJoin(subscription, eq(subscription.userId, user.id))
    .where(and(...conditions));
}
