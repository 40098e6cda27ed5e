// Pushes of D1's current records to the objects that have copies of them.
import { and, asc, eq, gt, inArray, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import { type Database, databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import type { ConnectionRecord } from "../../protocol/connection.ts";
import { mapInBatches } from "../batches.ts";
import { retried } from "../object-stubs.ts";
import { connectionStub } from "./stub.ts";
import { lookUpRecords } from "./record.ts";

/** Objects called at once: each call is one subrequest. */
const PUSH_CONCURRENCY = 20;
/** Objects that one invocation calls: each call is one of its 1,000 subrequests. */
const PAGE = 400;

/** One page of the account's objects, by the numeric ids after `after`. `next` null: there are no more. `failed`: UUIDs. */
export async function pushPage(env: Env, ownerId: string, after: number): Promise<{ next: number | null; failed: string[] }> {
  const records = await lookUpRecords(env, and(eq(connection.ownerId, ownerId), gt(connection.id, after)), PAGE);
  const failed = await pushAll(env, records);
  return { next: records.length < PAGE ? null : (records.at(-1)?.id ?? null), failed };
}

/** Again to those that failed, at most 90. Returns those that failed once more. */
export async function pushAgain(env: Env, ownerId: string, uuids: readonly string[]): Promise<string[]> {
  return pushAll(env, await lookUpRecords(env, and(eq(connection.ownerId, ownerId), inArray(connection.uuid, [...uuids])), PAGE));
}

/**
 * Value of `pending_revision` in a statement of the same batch as the change: from then on `pushPendingRecords` owes the record to the
 * object. Whoever reads records later takes a higher revision than this one.
 */
export const PENDING = "COALESCE((SELECT revision FROM record_revision), 0)";

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

async function push(env: Env, record: ConnectionRecord): Promise<string | null> {
  try {
    await retried(() => connectionStub(env, record.uuid).configure(record));
    return null;
  } catch (error) {
    log("account.record_not_pushed", { connection: record.uuid, ...errorFields(error) });
    return record.uuid;
  }
}
