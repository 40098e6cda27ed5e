import { databaseOf } from "../../db/database.ts";
import { accountKey } from "../../db/schema.ts";
import { makeAccountKey } from "../../domain/keys/account-key.ts";
import type { Scope } from "../../domain/keys/scopes.ts";
import { settingsOf, type Env } from "../../env.ts";
import type { AccountKey } from "./find.ts";

/** null: all scopes of the user; all instances of the account; no expiry. `expiresAt` in Unix ms. */
export type NewAccountKey = {
  userId: string;
  name: string;
  scopes: readonly Scope[] | null;
  instanceIds: readonly string[] | null;
  expiresAt: number | null;
};

/** Creates an Account API key. The key itself is returned here only and stored nowhere. */
export async function createAccountKey(env: Env, input: NewAccountKey, now: number): Promise<{ key: string; row: AccountKey }> {
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
  };
  await databaseOf(env.DB).insert(accountKey).values(row);
  return { key, row };
}
