// What the guard of an account still has to hear of: a change of the account that its connections' records have. It is owed from the
// transaction of the change on, so that no crash between the change and the push loses it (docs/internals/architecture.md, "Where each fact is stored").
import { and, asc, eq, inArray, lt, sql, type SQL } from "drizzle-orm";
import { type Database, databaseOf } from "../../db/database.ts";
import { recordSet } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { accountGuardStub } from "../accounts/guard.ts";
import { mapInBatches } from "../batches.ts";
import { retried } from "../object-stubs.ts";

/** After this time the watchdog tells the guard: until then, the request that made the change is doing so. */
const PUSH_AFTER_MS = 60_000;
/** Guards called at once: each call is one subrequest, and each guard answers within 10 seconds. */
const CONCURRENCY = 5;

/**
 * Has to be in one batch with the change itself; with a condition, before it. Nothing is owed to an account that does not exist. `now` in
 * Unix ms.
 */
export function oweRecords(database: Database, userId: string, now: number, condition: SQL = sql`TRUE`) {
  return database
    .insert(recordSet)
    .select(sql`SELECT id, 1, 0, ${now} FROM user WHERE id = ${userId} AND ${condition}`)
    .onConflictDoUpdate({ target: recordSet.userId, set: { revision: sql`${recordSet.revision} + 1`, changedAt: now } });
}

/**
 * Has D1's current records pushed to every object of the account by its guard. When it returns, all that can be reached apply it, or 10
 * seconds have passed: the guard goes on by itself with the others, and with objects that could not be reached.
 */
export async function pushRecordsOfOwner(env: Pick<Env, "ACCOUNT_GUARD" | "DB">, ownerId: string): Promise<void> {
  const database = databaseOf(env.DB);
  const [owed] = await database.select({ revision: recordSet.revision }).from(recordSet).where(eq(recordSet.userId, ownerId));
  await retried(() => accountGuardStub(env, ownerId).pushRecords(ownerId));
  if (owed === undefined) return;
  await database
    .update(recordSet)
    .set({ pushedRevision: owed.revision })
    .where(and(eq(recordSet.userId, ownerId), lt(recordSet.pushedRevision, owed.revision)));
}

/** Tells guards that could not be told, at most `limit`. Throws when one fails again. */
export async function pushOwedRecords(env: Env, now: number, limit: number): Promise<void> {
  const database = databaseOf(env.DB);
  const rows = await database
    .select({ userId: recordSet.userId })
    .from(recordSet)
    .where(and(sql`pushed_revision < revision`, lt(recordSet.changedAt, now - PUSH_AFTER_MS)))
    .orderBy(asc(recordSet.changedAt))
    .limit(limit);
  const userIds = rows.map(({ userId }) => userId);
  // Those that fail go behind the others.
  await database.update(recordSet).set({ changedAt: now }).where(inArray(recordSet.userId, userIds));
  await mapInBatches(userIds, CONCURRENCY, (userId) => pushRecordsOfOwner(env, userId));
}
