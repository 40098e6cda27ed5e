import { and, eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { accountWebhook } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import type { AccountWebhook } from "./find.ts";
import type { NewWebhook } from "./create.ts";
import { type AffectedConnections, incrementRevision, pushEndpoints } from "./push.ts";
import { sealSecret } from "./secret.ts";

export type WebhookChanges = Partial<Omit<NewWebhook, "userId">>;

/** When this returns, no object uses the old state any more, except for the last ones of a very large account. */
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
  await retriedWrite(() =>
    database.batch([database.update(accountWebhook).set(set).where(which), incrementRevision(env.DB, row.userId, now)]),
  );
  const changed = { ...row, ...set };
  await pushEndpoints(env, row.userId, affectedBy(row.instanceId, changed.instanceId));
  return changed;
}

function affectedBy(before: string | null, after: string | null): AffectedConnections {
  return before === null || after === null ? "all" : [before, after];
}

/** When this returns, nothing more is sent to the endpoint, including pending deliveries. */
export async function removeWebhook(env: Env, { id, userId, instanceId }: AccountWebhook, now: number): Promise<void> {
  const database = databaseOf(env.DB);
  const which = and(eq(accountWebhook.userId, userId), eq(accountWebhook.id, id));
  await retriedWrite(() => database.batch([database.delete(accountWebhook).where(which), incrementRevision(env.DB, userId, now)]));
  await pushEndpoints(env, userId, instanceId === null ? "all" : [instanceId]);
}
