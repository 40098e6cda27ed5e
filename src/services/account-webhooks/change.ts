import { and, eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { accountWebhook } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import type { AccountWebhook } from "./find.ts";
import type { NewWebhook } from "./create.ts";
import { type AffectedConnections, incrementRevision, pushEndpoints } from "./push.ts";
import { sealSecret } from "./secret.ts";

/** Absent fields stay as they are. */
export type WebhookChanges = Partial<Omit<NewWebhook, "userId">>;

/** Changes an endpoint. When this returns, no object uses the old state any more; of a very large account the last ones follow. */
export async function changeWebhook(
  env: Env,
  row: AccountWebhook,
  { secret, ...rest }: WebhookChanges,
  now: number,
): Promise<AccountWebhook> {
  const sealed = secret === undefined ? {} : { secretSealed: sealSecret(env, row.userId, secret) };
  const set = { ...rest, ...sealed, updatedAt: now };
  const which = and(eq(accountWebhook.userId, row.userId), eq(accountWebhook.id, row.id));
  const database = databaseOf(env.DB);
  await database.batch([database.update(accountWebhook).set(set).where(which), incrementRevision(env.DB, row.userId, now)]);
  const changed = { ...row, ...set };
  await pushEndpoints(env, row.userId, affectedBy(row.instanceId, changed.instanceId));
  return changed;
}

function affectedBy(before: string | null, after: string | null): AffectedConnections {
  return before === null || after === null ? "all" : [before, after];
}

/** Deletes an endpoint. When this returns, nothing is sent to it any more, pending deliveries included. */
export async function removeWebhook(env: Env, { id, userId, instanceId }: AccountWebhook, now: number): Promise<void> {
  const database = databaseOf(env.DB);
  const which = and(eq(accountWebhook.userId, userId), eq(accountWebhook.id, id));
  await database.batch([database.delete(accountWebhook).where(which), incrementRevision(env.DB, userId, now)]);
  await pushEndpoints(env, userId, instanceId === null ? "all" : [instanceId]);
}
