// The keys of an account.
import { and, desc, eq, lt, or } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { accountKey } from "../../db/schema.ts";

export type AccountKey = typeof accountKey.$inferSelect;

/** A key's position in the list, newest first. */
export type KeyPlace = { createdAt: number; id: string };

export async function listAccountKeys(binding: D1Database, userId: string, after: KeyPlace | null, limit: number): Promise<AccountKey[]> {
  const beyond =
    after === null
      ? undefined
      : or(lt(accountKey.createdAt, after.createdAt), and(eq(accountKey.createdAt, after.createdAt), lt(accountKey.id, after.id)));
  return databaseOf(binding)
    .select()
    .from(accountKey)
    .where(and(eq(accountKey.userId, userId), beyond))
    .orderBy(desc(accountKey.createdAt), desc(accountKey.id))
    .limit(limit);
}
