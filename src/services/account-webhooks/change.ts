import { and, eq, sql } from "drizzle-orm";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { databaseOf, selectedValues } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { accountWebhook } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { type AccountWebhook, findWebhook, listWebhooks, sealSecret } from "./find.ts";
import { type AffectedConnections, incrementRevision, pushEndpoints } from "./push.ts";
import { errorFields, log } from "../../log.ts";

export type WebhookChanges = Partial<Omit<NewWebhook, "userId">>;

/** Once this returns, only a very large account's last objects may still use the old state. Fails if the endpoint was removed meanwhile. */
export async function changeWebhook(
  env: Env,
  row: AccountWebhook,
  { secret, ...rest }: WebhookChanges,
  now: number,
): Promise<Outcome<AccountWebhook>> {
  const sealed = secret === undefined ? {} : { secretSealed: sealSecret(env, row.userId, secret) };
  const set = { ...rest, ...sealed, updatedAt: now };
  const which = and(eq(accountWebhook.userId, row.userId), eq(accountWebhook.id, row.id));
  const database = databaseOf(env.DB);
  const [before, [after], revisions] = await retriedWrite(() =>
    database.batch([
      database.select(INSTANCE).from(accountWebhook).where(which),
      database.update(accountWebhook).set(set).where(which).returning(),
      incrementRevision(env.DB, row, now),
    ]),
  );
  await pushEndpoints(env, row.userId, after === undefined ? "all" : affectedBy([row, ...before, after], revisions));
  return after === undefined ? fail("webhook_not_found") : succeed(after);
}

const INSTANCE = { instanceId: accountWebhook.instanceId };

/** Includes the row as the change found it, because another call may have moved the endpoint. Without a revision, pushes to all. */
function affectedBy(rows: readonly Pick<AccountWebhook, "instanceId">[], [own]: readonly { revision: number }[]): AffectedConnections {
  const uuids = rows.flatMap(({ instanceId }) => instanceId ?? []);
  return own === undefined || uuids.length < rows.length ? "all" : { uuids, revision: own.revision };
}

/** Once this returns, nothing more is sent to the endpoint, not even pending deliveries. */
export async function removeWebhook(env: Env, row: AccountWebhook, now: number): Promise<void> {
  const { id, userId } = row;
  const database = databaseOf(env.DB);
  const which = and(eq(accountWebhook.userId, userId), eq(accountWebhook.id, id));
  const remove = () => database.delete(accountWebhook).where(which).returning(INSTANCE);
  const [revisions, removed] = await retriedWrite(() => database.batch([incrementRevision(env.DB, row, now), remove()]));
  await pushEndpoints(env, userId, affectedBy([row, ...removed], revisions));
}

/** Maximum number of endpoints per account (docs/use/account-api.md, "Webhook endpoints"). */
export const MAX_WEBHOOKS = 20;

/** Input that is already validated. `instanceId` is the UUID of one of the account's connections, or null for all of them. */
export type NewWebhook = Pick<
  AccountWebhook,
  "userId" | "url" | "events" | "description" | "instanceId" | "headers" | "retryCount" | "timeoutMs" | "isActive"
> & { secret: string | null };

export async function mayAddWebhook(binding: D1Database, userId: string): Promise<boolean> {
  return (await listWebhooks(binding, userId)).length < MAX_WEBHOOKS;
}

export async function createWebhook(env: Env, input: NewWebhook, now: number): Promise<Outcome<AccountWebhook>> {
  const id = crypto.randomUUID();
  const { userId, url, events, description, instanceId, headers, retryCount, timeoutMs, isActive } = input;
  const values: AccountWebhook = {
    id,
    userId,
    url,
    events,
    secretSealed: sealSecret(env, userId, input.secret),
    description,
    instanceId,
    headers,
    retryCount,
    timeoutMs,
    isActive,
    createdAt: now,
    updatedAt: now,
  };
  const database = databaseOf(env.DB);
  // Counts and inserts in one statement, so that concurrent requests cannot exceed the limit.
  const insert = () =>
    database
      .insert(accountWebhook)
      .select(
        sql`${selectedValues(accountWebhook, values)} WHERE (SELECT COUNT(*) FROM account_webhook WHERE user_id = ${userId}) < ${MAX_WEBHOOKS}`,
      )
      .onConflictDoNothing()
      .returning();
  const [[inserted], revisions] = await retriedWrite(() => database.batch([insert(), incrementRevision(env.DB, values, now)]));
  // A repeated write returns no row, although the first one may have inserted it.
  const row = inserted ?? (await findWebhook(env.DB, userId, id));
  if (row === null) return fail("webhook_limit", { details: { limit: MAX_WEBHOOKS } });
  // A failure here must not fail the call, because a retry would create a second endpoint. The watchdog completes the push later.
  await pushEndpoints(env, userId, affectedBy([row], revisions)).catch((error: unknown) =>
    log("account.change_not_pushed", { user: userId, kind: "endpoints", ...errorFields(error) }),
  );
  return succeed(row);
}
