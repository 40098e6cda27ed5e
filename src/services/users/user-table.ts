import { and, eq, ne } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { user } from "../../db/schema.ts";

export type User = typeof user.$inferSelect;

/** null also for a user whose account is being removed. */
export async function findUser(binding: D1Database, id: string): Promise<User | null> {
  const which = and(eq(user.id, id), ne(user.status, "removed"));
  return (await databaseOf(binding).select().from(user).where(which).limit(1))[0] ?? null;
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
