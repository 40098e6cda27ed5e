import { and, eq } from "drizzle-orm";
import type { Env } from "../../env.ts";
import { endStreams } from "../accounts/guard.ts";
import { databaseOf } from "../../db/database.ts";
import { accountKey } from "../../db/schema.ts";

export async function removeAccountKey(env: Env, userId: string, id: string): Promise<boolean> {
  const gone = await databaseOf(env.DB)
    .delete(accountKey)
    .where(and(eq(accountKey.userId, userId), eq(accountKey.id, id)))
    .returning({ id: accountKey.id });
  // Runs even if the key did not exist, because an earlier deletion may have failed at this point.
  await endStreams(env, userId, { credential: `key:${id}` });
  return gone.length > 0;
}

export async function removeAccountKeysNamed(env: Env, userId: string, name: string): Promise<void> {
  const gone = await databaseOf(env.DB)
    .delete(accountKey)
    .where(and(eq(accountKey.userId, userId), eq(accountKey.name, name)))
    .returning({ id: accountKey.id });
  for (const { id } of gone) await endStreams(env, userId, { credential: `key:${id}` });
}
