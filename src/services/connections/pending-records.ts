// Account changes that are not yet in the connection records. They are stored in the change's transaction, so that a crash loses none.
import { and, asc, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import { type Database, databaseOf, selectedValues } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { recordSet } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { accountGuardStub } from "../accounts/guard.ts";
import { mapInBatches } from "../batches.ts";
import { retried } from "../object-calls.ts";

/** Until this time has passed, the request that made the change may still be pushing it. */
const PUSH_AFTER_MS = 60_000;
const CONCURRENCY = 5;

/** Run it in the change's batch, and before a conditional change, which may invalidate `condition`. `now` is in Unix ms. */
export function oweRecords(database: Database, userId: string, now: number, condition: SQL = sql`TRUE`) {
  const first = selectedValues(recordSet, { userId, revision: 1, pushedRevision: 0, changedAt: now });
  return database
    .insert(recordSet)
    .select(sql`${first} FROM user WHERE id = ${userId} AND ${condition}`)
    .onConflictDoUpdate({ target: recordSet.userId, set: { revision: sql`${recordSet.revision} + 1`, changedAt: now } });
}

/** Returns once all reachable objects have D1's records, or after 10 seconds. The AccountGuard then continues. */
export async function pushRecordsOfOwner(env: Pick<Env, "ACCOUNT_GUARD" | "DB">, ownerId: string): Promise<void> {
  const database = databaseOf(env.DB);
  const [pending] = await database.select({ revision: recordSet.revision }).from(recordSet).where(eq(recordSet.userId, ownerId));
  await retried(() => accountGuardStub(env, ownerId).pushRecords(ownerId));
  if (pending === undefined) return;
  await retriedWrite(() =>
    database
      .update(recordSet)
      .set({ pushedRevision: pending.revision })
      .where(and(eq(recordSet.userId, ownerId), lt(recordSet.pushedRevision, pending.revision))),
  );
}

export async function pushChangedAccounts(env: Env, now: number, limit: number): Promise<void> {
  const database = databaseOf(env.DB);
  const rows = await database
    .select({ userId: recordSet.userId })
    .from(recordSet)
    .where(and(lt(recordSet.pushedRevision, recordSet.revision), lt(recordSet.changedAt, now - PUSH_AFTER_MS)))
    .orderBy(asc(recordSet.changedAt))
    .limit(limit);
  const userIds = rows.map(({ userId }) => userId);
  await database.update(recordSet).set({ changedAt: now }).where(inArray(recordSet.userId, userIds));
  await mapInBatches(userIds, CONCURRENCY, (userId) => pushRecordsOfOwner(env, userId));
}
