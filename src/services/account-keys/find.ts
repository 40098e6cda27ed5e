import { and, desc, eq, isNotNull, lt, or, sql } from "drizzle-orm";
import { databaseOf, rowsOf } from "../../db/database.ts";
import { accountKey } from "../../db/schema.ts";

export type AccountKey = typeof accountKey.$inferSelect;

type KeyPlace = { createdAt: number; id: string };

/** Newest first. `within` limits the list to keys that are restricted to a subset of these instances (UUIDs). Null means all keys. */
export async function listAccountKeys(
  binding: D1Database,
  userId: string,
  { after, limit, within }: { after: KeyPlace | null; limit: number; within: readonly string[] | null },
): Promise<AccountKey[]> {
  const beyond =
    after === null
      ? undefined
      : or(lt(accountKey.createdAt, after.createdAt), and(eq(accountKey.createdAt, after.createdAt), lt(accountKey.id, after.id)));
  const reachesNoFurther =
    within === null
      ? undefined
      : and(
          isNotNull(accountKey.instanceIds),
          sql`NOT EXISTS (SELECT 1 FROM json_each(${accountKey.instanceIds}) WHERE value NOT IN ${rowsOf(within)})`,
        );
  return databaseOf(binding)
    .select()
    .from(accountKey)
    .where(and(eq(accountKey.userId, userId), beyond, reachesNoFurther))
    .orderBy(desc(accountKey.createdAt), desc(accountKey.id))
    .limit(limit);
}
