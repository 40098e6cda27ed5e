import { and, eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { accountKey } from "../../db/schema.ts";

/** Deletes a key of the user; it stops working at once. Returns whether there was one. */
export async function removeAccountKey(binding: D1Database, userId: string, id: string): Promise<boolean> {
  const gone = await databaseOf(binding)
    .delete(accountKey)
    .where(and(eq(accountKey.userId, userId), eq(accountKey.id, id)))
    .returning({ id: accountKey.id });
  return gone.length > 0;
}

/** Deletes the user's keys of this name; they stop working at once. */
export async function removeAccountKeysNamed(binding: D1Database, userId: string, name: string): Promise<void> {
  await databaseOf(binding)
    .delete(accountKey)
    .where(and(eq(accountKey.userId, userId), eq(accountKey.name, name)));
}
