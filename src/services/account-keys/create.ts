import { eq, inArray, sql, and, desc, isNotNull, lt, or } from "drizzle-orm";
import { databaseOf, rowsOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { accountKey } from "../../db/schema.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { makeAccountKey } from "@gateway/domain/keys/account-key.ts";
import type { Scope } from "@gateway/domain/keys/scopes.ts";
import { settingsOf, type Env } from "../../env.ts";

/** Null `scopes` grants all scopes but `admin`, and null `instanceIds` all instances. Without `expiresAt` (Unix ms), it never expires. */
export type NewAccountKey = {
  userId: string;
  name: string;
  scopes: readonly Scope[] | null;
  instanceIds: readonly string[] | null;
  expiresAt: number | null;
  allowedIps?: readonly string[] | null;
};

/** The key is returned only here. Expired keys are deleted to make room, oldest first. Fails with `key_limit`. */
export async function createAccountKey(env: Env, input: NewAccountKey, now: number): Promise<Outcome<{ key: string; row: AccountKey }>> {
  const { key, prefix, hash } = makeAccountKey(settingsOf(env).KEY_SECRET, crypto.getRandomValues(new Uint8Array(23)));
  const { userId, name, expiresAt } = input;
  const row = {
    id: crypto.randomUUID(),
    userId,
    name,
    prefix,
    hash,
    scopes: input.scopes === null ? null : [...input.scopes],
    instanceIds: input.instanceIds === null ? null : [...input.instanceIds],
    expiresAt,
    lastUsedAt: null,
    createdAt: now,
    allowedIps: input.allowedIps == null ? null : [...input.allowedIps],
    refusedIp: null,
    refusedAt: null,
  };
  const [scopes, instanceIds, allowedIps] = [row.scopes, row.instanceIds, row.allowedIps].map((list) =>
    list === null ? null : JSON.stringify(list),
  );
  const database = databaseOf(env.DB);
  const count = sql`(SELECT COUNT(*) FROM account_key WHERE user_id = ${userId})`;
  const [, , stored] = await retriedWrite(() =>
    database.batch([
      database.delete(accountKey).where(
        inArray(
          accountKey.id,
          sql`(SELECT id FROM account_key WHERE user_id = ${userId} AND expires_at <= ${now}
          ORDER BY expires_at LIMIT MAX(0, ${count} - ${LIMITS.accountKeys - 1}))`,
        ),
      ),
      // Columns are in the table's order. Counts and inserts in one statement, so that concurrent requests cannot exceed the limit.
      database
        .insert(accountKey)
        .select(
          sql`SELECT ${row.id}, ${userId}, ${name}, ${prefix}, ${hash}, ${scopes}, ${instanceIds}, ${expiresAt}, NULL, ${now}, ${allowedIps}, NULL, NULL WHERE ${count} < ${LIMITS.accountKeys}`,
        )
        .onConflictDoNothing(),
      database.select({ id: accountKey.id }).from(accountKey).where(eq(accountKey.id, row.id)),
    ]),
  );
  return stored.length === 0 ? fail("key_limit", { details: { limit: LIMITS.accountKeys } }) : succeed({ key, row });
}

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
