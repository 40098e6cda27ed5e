import { eq, inArray, sql } from "drizzle-orm";
import { databaseOf, selectedValues } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { accountKey } from "../../db/schema.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { makeAccountKey } from "@gateway/domain/keys/account-key.ts";
import type { Scope } from "@gateway/domain/keys/scopes.ts";
import { settingsOf, type Env } from "../../env.ts";
import type { AccountKey } from "./find.ts";

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
  const row: AccountKey = {
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
      // Counts and inserts in one statement, so that concurrent requests cannot exceed the limit.
      database
        .insert(accountKey)
        .select(sql`${selectedValues(accountKey, row)} WHERE ${count} < ${LIMITS.accountKeys}`)
        .onConflictDoNothing(),
      database.select({ id: accountKey.id }).from(accountKey).where(eq(accountKey.id, row.id)),
    ]),
  );
  return stored.length === 0 ? fail("key_limit", { details: { limit: LIMITS.accountKeys } }) : succeed({ key, row });
}
