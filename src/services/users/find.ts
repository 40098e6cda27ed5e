import { eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { user } from "../../db/schema.ts";

export type User = typeof user.$inferSelect;

export async function findUser(binding: D1Database, id: string): Promise<User | null> {
  return (await databaseOf(binding).select().from(user).where(eq(user.id, id)).limit(1))[0] ?? null;
}

/** E-mail addresses are kept in lower case. */
export async function findUserByEmail(binding: D1Database, email: string): Promise<User | null> {
  return (await databaseOf(binding).select().from(user).where(eq(user.email, email.trim().toLowerCase())).limit(1))[0] ?? null;
}
