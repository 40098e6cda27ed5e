import { and, eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { accountWebhook } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import type { AccountWebhook } from "./find.ts";
import { affectedBy, incrementRevision, INSTANCE, pushEndpoints } from "./push.ts";

/** Once this returns, nothing more is sent to the endpoint, not even pending deliveries. */
export async function removeWebhook(env: Env, row: AccountWebhook, now: number): Promise<void> {
  const { id, userId } = row;
  const database = databaseOf(env.DB);
  const which = and(eq(accountWebhook.userId, userId), eq(accountWebhook.id, id));
  const remove = () => database.delete(accountWebhook).where(which).returning(INSTANCE);
  const [revisions, removed] = await retriedWrite(() => database.batch([incrementRevision(env.DB, row, now), remove()]));
  await pushEndpoints(env, userId, affectedBy([row, ...removed], revisions));
}
