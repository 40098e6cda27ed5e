import { and, eq } from "drizzle-orm";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { accountWebhook } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import type { NewWebhook } from "./create.ts";
import type { AccountWebhook } from "./find.ts";
import { affectedBy, incrementRevision, INSTANCE, pushEndpoints } from "./push.ts";
import { sealSecret } from "./secret.ts";

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
