import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import { type Database, databaseOf, rowsOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import type { ConnectionRecord } from "@gateway/protocol/connection.ts";
import { accountGuardStub } from "../accounts/guard.ts";
import { mapInBatches } from "../batches.ts";
import { retried } from "../object-calls.ts";
import type { AccountChange } from "../account-change.ts";
import { connectionStub } from "./stub.ts";
import { lookUpRecords, readRecordsOf } from "./record.ts";

const PUSH_CONCURRENCY = 20;
/** Maximum objects per invocation, which is limited to 1,000 subrequests. */
const PAGE = 400;
/** With this many pending records or more, the account's guard pushes them. */
const BY_GUARD = 200;
const GUARDS = 5;

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

/** Splits the account's connections into parts of `size`, and returns the last id of each part. */
export async function splitIntoShares(binding: D1Database, ownerId: string, size: number): Promise<number[]> {
  const rows = await databaseOf(binding).all<{ until: number }>(
    sql`SELECT max(id) AS until FROM (
          SELECT id, CAST((row_number() OVER (ORDER BY id) - 1) / ${size} AS INTEGER) AS share
          FROM connection WHERE owner_id = ${ownerId} AND removed_at IS NULL
        ) GROUP BY share ORDER BY share`,
  );
  return rows.map(({ until }) => until);
}

/** Set in the same batch as the change. The record is pending until it has been pushed, and later reads have a higher revision. */
export const PENDING = "COALESCE((SELECT revision FROM record_revision), 0)";

/** Pushes large accounts through their guards, and one page of the others. The watchdog pushes the rest. */
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

export async function noLongerPendingOf(binding: D1Database, ownerId: string, revision: number): Promise<void> {
  const { pendingRevision } = connection;
  await retriedWrite(() =>
    databaseOf(binding)
      .update(connection)
      .set({ pendingRevision: null })
      .where(and(eq(connection.ownerId, ownerId), isNotNull(pendingRevision), lt(pendingRevision, revision))),
  );
}

/** Pushes pending records, up to `limit`, oldest first. The rest stays pending for the watchdog. */
export async function pushPendingRecords(env: Env, which: SQL | undefined, limit: number = PAGE): Promise<void> {
  const { pendingRevision } = connection;
  const records = await lookUpRecords(env, and(isNotNull(pendingRevision), which), limit, [asc(pendingRevision)]);
  const [first] = records;
  if (first === undefined) return;
  const failed = await pushAll(env, records);
  const pushed = records.map(({ uuid }) => uuid).filter((uuid) => !failed.includes(uuid));
  const database = databaseOf(env.DB);
  await retriedWrite(() =>
    database.batch([
      noLongerPending(database, pushed, first.revision),
      database
        .update(connection)
        .set({ pendingRevision: sql.raw(PENDING) })
        .where(and(namedIn(failed), isNotNull(pendingRevision))),
    ]),
  );
}

/** Clears `pending_revision` of pushed records. Records that have changed since they were read stay pending. */
export function noLongerPending(database: Database, uuids: readonly string[], revision: number) {
  const { pendingRevision } = connection;
  return database
    .update(connection)
    .set({ pendingRevision: null })
    .where(and(namedIn(uuids), lt(pendingRevision, revision)));
}

export function namedIn(uuids: readonly string[]): SQL {
  return inArray(connection.uuid, rowsOf(uuids));
}

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
