import { sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { accountWebhook } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { isTransientError } from "../object-stubs.ts";
import { type AccountWebhook, findWebhook, listWebhooks } from "./find.ts";
import { incrementRevision, pushEndpoints } from "./push.ts";
import { sealSecret } from "./secret.ts";

/** Limit per account (docs/use/account-api.md, "Webhook endpoints"). */
export const MAX_WEBHOOKS = 20;

/** Input that is already validated. `instanceId`: the UUID of a connection of the account; null: all of them. */
export type NewWebhook = Pick<
  AccountWebhook,
  "userId" | "url" | "events" | "description" | "instanceId" | "headers" | "retryCount" | "timeoutMs" | "isActive"
> & { secret: string | null };

export async function hasRoomForWebhook(binding: D1Database, userId: string): Promise<boolean> {
  return (await listWebhooks(binding, userId)).length < MAX_WEBHOOKS;
}

export async function createWebhook(env: Env, input: NewWebhook, now: number): Promise<Outcome<AccountWebhook>> {
  const id = crypto.randomUUID();
  const { userId, url, description, instanceId, retryCount, timeoutMs } = input;
  const [events, headers] = [JSON.stringify(input.events), JSON.stringify(input.headers)];
  const sealed = sealSecret(env, userId, input.secret);
  const database = databaseOf(env.DB);
  // Columns are in the table's order. Counts and inserts in one statement, so that concurrent requests cannot exceed the limit.
  const insert = () =>
    database
      .insert(accountWebhook)
      .select(sql`
    SELECT ${id}, ${userId}, ${url}, ${events}, ${sealed}, ${description}, ${instanceId}, ${headers}, ${retryCount}, ${timeoutMs}, ${Number(input.isActive)}, ${now}, ${now}
    WHERE (SELECT COUNT(*) FROM account_webhook WHERE user_id = ${userId}) < ${MAX_WEBHOOKS}`)
      .onConflictDoNothing();
  await retriedWrite(() => database.batch([insert(), incrementRevision(env.DB, userId, now)]));
  const row = await findWebhook(env.DB, userId, id);
  if (row === null) return fail("webhook_limit", { details: { limit: MAX_WEBHOOKS } });
  await pushEndpoints(env, userId, instanceId === null ? "all" : [instanceId]).catch((error: unknown) => {
    // The endpoint already exists, and the watchdog completes the push, so a transient error is ignored.
    if (!isTransientError(error)) throw error;
  });
  return succeed(row);
}
