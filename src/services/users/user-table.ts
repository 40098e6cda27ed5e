import { and, eq, exists, ne, sql, type SQL } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { type Database, databaseOf } from "../../db/database.ts";
import { user } from "../../db/schema.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

export type User = typeof user.$inferSelect;

/** null also for a user whose account is being removed. */
export async function findUser(binding: D1Database, id: string): Promise<User | null> {
  const which = and(eq(user.id, id), ne(user.status, "removed"));
  return (await databaseOf(binding).select().from(user).where(which).limit(1))[0] ?? null;
}

/** `last_seen_at` is written at most this often per user. */
const SEEN_INTERVAL_MS = HOUR_MS;

/** That the user, or a key of theirs, asked for something. `now` in Unix ms. */
export async function recordSeen(binding: D1Database, { id, lastSeenAt }: Pick<User, "id" | "lastSeenAt">, now: number): Promise<void> {
  if (now - (lastSeenAt ?? 0) < SEEN_INTERVAL_MS) return;
  await databaseOf(binding).update(user).set({ lastSeenAt: now }).where(eq(user.id, id));
}

/** E-mail addresses are stored in lower case. */
export async function findUserByEmail(binding: D1Database, email: string): Promise<User | null> {
  return (await databaseOf(binding).select().from(user).where(eq(user.email, email.trim().toLowerCase())).limit(1))[0] ?? null;
}

/** Creates a user with a verified address; returns the existing one when the address is taken. */
export async function createUser(binding: D1Database, email: string, name: string): Promise<User> {
  const now = new Date();
  const row = { id: crypto.randomUUID(), email: email.trim().toLowerCase(), name, emailVerified: true, createdAt: now, updatedAt: now };
  await databaseOf(binding).insert(user).values(row).onConflictDoNothing();
  const found = await findUserByEmail(binding, email);
  if (found === null) throw new Error("a user that was just created is missing");
  return found;
}

/** A user of an address that is not confirmed yet: without a password nobody gets in. The existing one when the address is taken. */
export async function addUnconfirmedUser(binding: D1Database, email: string, name: string): Promise<User | null> {
  const now = new Date();
  const row = { id: crypto.randomUUID(), email: email.trim().toLowerCase(), name, emailVerified: false, createdAt: now, updatedAt: now };
  await databaseOf(binding).insert(user).values(row).onConflictDoNothing();
  return findUserByEmail(binding, email);
}

export async function rename(binding: D1Database, userId: string, name: string): Promise<void> {
  await databaseOf(binding).update(user).set({ name, updatedAt: new Date() }).where(eq(user.id, userId));
}

export async function setRole(binding: D1Database, userId: string, role: User["role"]): Promise<void> {
  await databaseOf(binding).update(user).set({ role, updatedAt: new Date() }).where(eq(user.id, userId));
}

/** Takes the role of an administrator away; false when no other active administrator would remain. */
export async function demote(binding: D1Database, userId: string): Promise<boolean> {
  const database = databaseOf(binding);
  const which = and(eq(user.id, userId), anotherAdministrator(database, userId));
  const changed = await database.update(user).set({ role: "user", updatedAt: new Date() }).where(which).returning({ id: user.id });
  return changed.length > 0;
}

/** In the very statement that takes an administrator away, so that two cannot take each other away at once. */
export function anotherAdministrator(database: Database, userId: string): SQL {
  const other = alias(user, "other");
  // Who was invited and never came cannot administer anything.
  const active = and(eq(other.role, "admin"), eq(other.status, "active"), eq(other.emailVerified, true), ne(other.id, userId));
  return exists(
    database
      .select({ one: sql`1` })
      .from(other)
      .where(active),
  );
}
