import { sql } from "drizzle-orm";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { databaseOf, selectedValues } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { accountWebhook } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { type AccountWebhook, findWebhook, listWebhooks } from "./find.ts";
import { affectedBy, incrementRevision, pushEndpoints } from "./push.ts";
import { sealSecret } from "./secret.ts";
import { errorFields, log } from "../../log.ts";

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
