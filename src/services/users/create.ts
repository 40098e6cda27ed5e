import { databaseOf } from "../../db/database.ts";
import { user } from "../../db/schema.ts";
import { findUserByEmail, type User } from "./find.ts";

/** A user whose address is known to be theirs; the one who already has the address, when there is one. */
export async function createUser(binding: D1Database, email: string, name: string): Promise<User> {
  const now = new Date();
  const row = { id: crypto.randomUUID(), email: email.trim().toLowerCase(), name, emailVerified: true, createdAt: now, updatedAt: now };
  await databaseOf(binding).insert(user).values(row).onConflictDoNothing();
  const found = await findUserByEmail(binding, email);
  if (found === null) throw new Error("a user that was just made is not there");
  return found;
}
