import { databaseOf } from "../../db/database.ts";
import { accountKey } from "../../db/schema.ts";
import { makeAccountKey } from "../../domain/keys/account-key.ts";
import type { Scope } from "../../domain/keys/scopes.ts";
import { keySecretsOf, type Env } from "../../env.ts";
import type { AccountKey } from "./find.ts";

/** null: all that the user may do; all of the account's instances; never. `expiresAt` in Unix ms. */
export type NewAccountKey = {
  userId: string;
  name: string;
  scopes: readonly Scope[] | null;
  instanceIds: readonly string[] | null;
  expiresAt: number | null;
};

/** Makes an Account API key of the user. The key itself is in this answer and nowhere else. */
export async function createAccountKey(env: Env, wanted: NewAccountKey, now: number): Promise<{ key: string; row: AccountKey }> {
  const { key, prefix, hash } = makeAccountKey(keySecretsOf(env), crypto.getRandomValues(new Uint8Array(23)));
  const { userId, name, expiresAt } = wanted;
  const row = {
    id: crypto.randomUUID(),
    userId,
    name,
    prefix,
    hash,
    scopes: wanted.scopes === null ? null : [...wanted.scopes],
    instanceIds: wanted.instanceIds === null ? null : [...wanted.instanceIds],
    expiresAt,
    lastUsedAt: null,
    createdAt: now,
  };
  await databaseOf(env.DB).insert(accountKey).values(row);
  return { key, row };
}
