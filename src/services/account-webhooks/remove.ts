import { and, eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { accountWebhook } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import type { AccountWebhook } from "./find.ts";
import { countChange, pushEndpoints } from "./push.ts";

/** Removes an endpoint. When this returns, nothing is sent to it any more, not even what waited. */
export async function removeWebhook(env: Env, { id, userId, instanceId }: AccountWebhook, now: number): Promise<void> {
  const database = databaseOf(env.DB);
  const which = and(eq(accountWebhook.userId, userId), eq(accountWebhook.id, id));
  await database.batch([database.delete(accountWebhook).where(which), countChange(env.DB, userId, now)]);
  await pushEndpoints(env, userId, instanceId === null ? "all" : [instanceId]);
}
