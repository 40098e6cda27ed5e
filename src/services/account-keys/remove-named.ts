import { and, eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { accountKey } from "../../db/schema.ts";

/** Removes the user's keys of this name: they stop working at once. */
export async function removeAccountKeysNamed(binding: D1Database, userId: string, name: string): Promise<void> {
  await databaseOf(binding)
    .delete(accountKey)
    .where(and(eq(accountKey.userId, userId), eq(accountKey.name, name)));
}
