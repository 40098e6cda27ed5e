// Pushes of D1's current records to the objects that have copies of them.
import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import { type Database, databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import type { ConnectionRecord } from "@gateway/protocol/connection.ts";
import { accountGuardStub } from "../accounts/guard.ts";
import { mapInBatches } from "../batches.ts";
import { retried } from "../object-stubs.ts";
import type { AccountChange } from "../account-change.ts";
import { connectionStub } from "./stub.ts";
import { lookUpRecords, readRecordsOf } from "./record.ts";

/** Objects called at once: each call is one subrequest. */
const PUSH_CONCURRENCY = 20;
/** Objects that one invocation calls: each call is one of its 1,000 subrequests. */
const PAGE = 400;
/** With so many pending records or more the guard of an account tells all of its objects. */
const BY_GUARD = 200;
/** Guards that one invocation asks: each answers within 10 seconds. */
const GUARDS = 5;

/** What a change of the account says to the objects of its connections. */
export async function readRecordChange(env: Env, ownerId: string): Promise<AccountChange> {
  const { revision, part } = await readRecordsOf(env, ownerId);
  const targets = async (which: SQL | undefined) =>
    (await part(which)).map((record) => ({ id: record.id, uuid: record.uuid, push: () => configure(env, record) }));
  return {
    revision,
    between: (after, until) => targets(and(gt(connection.id, after), lte(connection.id, until))),
    named: (uuids) => targets(namedIn(uuids)),
  };
}

/** The last ids of shares of the account's connections, each of so many. */
export async function cutInShares(binding: D1Database, ownerId: string, size: number): Promise<number[]> {
  const rows = await databaseOf(binding).all<{ until: number }>(
    sql`SELECT max(id) AS until FROM (
          SELECT id, CAST((row_number() OVER (ORDER BY id) - 1) / ${size} AS INTEGER) AS share
          FROM connection WHERE owner_id = ${ownerId} AND removed_at IS NULL
        ) GROUP BY share ORDER BY share`,
  );
  return rows.map(({ until }) => until);
}

/**
 * Value of `pending_revision` in a statement of the same batch as the change: from then on `pushPendingRecords` owes the record to the
 * object. Whoever reads records later takes a higher revision than this one.
 */
export const PENDING = "COALESCE((SELECT revision FROM record_revision), 0)";

/**
 * Pushes pending records whoever owns them: those of accounts with very many by their guards, and a page of the others. What fails, or lies
 * beyond that, stays pending: the watchdog goes on with it.
 */
export async function pushPendingOfAll(env: Env, which: SQL | undefined): Promise<void> {
  const database = databaseOf(env.DB);
  const large = await database
    .select({ ownerId: connection.ownerId })
    .from(connection)
    .where(and(isNotNull(connection.pendingRevision), isNull(connection.removedAt), which))
    .groupBy(connection.ownerId)
    .having(sql`count(*) >= ${BY_GUARD}`)
    .orderBy(sql`count(*) DESC`)
    .limit(GUARDS);
  await mapInBatches(large, GUARDS, async ({ ownerId }) => {
    try {
      await retried(() => accountGuardStub(env, ownerId).pushRecords(ownerId));
    } catch (error) {
      log("account.change_not_pushed", { user: ownerId, kind: "records", ...errorFields(error) });
    }
  });
  await pushPendingRecords(env, which);
}

/** Every object of the account has a record of this revision. */
export async function noLongerPendingOf(binding: D1Database, ownerId: string, revision: number): Promise<void> {
  const { pendingRevision } = connection;
  await databaseOf(binding)
    .update(connection)
    .set({ pendingRevision: null })
    .where(and(eq(connection.ownerId, ownerId), isNotNull(pendingRevision), lt(pendingRevision, revision)));
}

/**
 * Pushes pending records, at most `limit`, those first that have waited longest. What fails, or lies beyond the limit, stays pending: the
 * watchdog goes on with it, a page a minute.
 */
export async function pushPendingRecords(env: Env, which: SQL | undefined, limit: number = PAGE): Promise<void> {
  const { pendingRevision } = connection;
  const records = await lookUpRecords(env, and(isNotNull(pendingRevision), which), limit, [asc(pendingRevision)]);
  const [first] = records;
  if (first === undefined) return;
  const failed = await pushAll(env, records);
  const told = records.map(({ uuid }) => uuid).filter((uuid) => !failed.includes(uuid));
  const database = databaseOf(env.DB);
  await database.batch([
    noLongerPending(database, told, first.revision),
    // Those that failed go behind the others.
    database
      .update(connection)
      .set({ pendingRevision: sql.raw(PENDING) })
      .where(and(namedIn(failed), isNotNull(pendingRevision))),
  ]);
}

/** Those who have been told a record of this revision. Not one that has changed since it was read. */
export function noLongerPending(database: Database, uuids: readonly string[], revision: number) {
  const { pendingRevision } = connection;
  return database
    .update(connection)
    .set({ pendingRevision: null })
    .where(and(namedIn(uuids), lt(pendingRevision, revision)));
}

/** As one value: a statement of D1 takes 100. */
export function namedIn(uuids: readonly string[]): SQL {
  return inArray(connection.uuid, sql`(SELECT value FROM json_each(${JSON.stringify(uuids)}))`);
}

/** Returns the UUIDs of objects that could not be told. */
async function pushAll(env: Env, records: readonly ConnectionRecord[]): Promise<string[]> {
  const failed = await mapInBatches(records, PUSH_CONCURRENCY, (record) => push(env, record));
  return failed.filter((uuid) => uuid !== null);
}

function configure(env: Env, record: ConnectionRecord): Promise<void> {
  return retried(() => connectionStub(env, record.uuid).configure(record));
}

async function push(env: Env, record: ConnectionRecord): Promise<string | null> {
  try {
    await configure(env, record);
    return null;
  } catch (error) {
    log("account.record_not_pushed", { connection: record.uuid, ...errorFields(error) });
    return record.uuid;
  }
}
