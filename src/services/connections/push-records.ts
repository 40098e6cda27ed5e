// Pushes of D1's current records to the objects that have copies of them.
import { and, asc, eq, gt, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import type { ConnectionRecord } from "../../protocol/connection.ts";
import { accountGuardStub } from "../accounts/guard.ts";
import { mapInBatches } from "../batches.ts";
import { retried } from "../object-stubs.ts";
import { connectionStub } from "./stub.ts";
import { type ConnectionRow, lookUpRecords } from "./record.ts";

/** Objects called at once: each call is one subrequest. */
const PUSH_CONCURRENCY = 20;
/** Objects that one invocation calls: each call is one of its 1,000 subrequests. */
const PAGE = 400;

/**
 * Has D1's current records pushed to every object of the account by its guard. When it returns, the first 400 connections apply it; the
 * guard goes on by itself with the others, some thousands a second, and with objects that could not be reached.
 */
export async function pushRecordsOfOwner(env: Pick<Env, "ACCOUNT_GUARD">, ownerId: string): Promise<void> {
  await retried(() => accountGuardStub(env, ownerId).pushRecords(ownerId));
}

/** One page of the account's objects, by the numeric ids after `after`. `next` null: there are no more. `failed`: UUIDs. */
export async function pushPage(env: Env, ownerId: string, after: number): Promise<{ next: number | null; failed: string[] }> {
  const rows = await rowsOf(env, and(eq(connection.ownerId, ownerId), gt(connection.id, after)));
  const failed = await pushRows(env, rows);
  return { next: rows.length < PAGE ? null : (rows.at(-1)?.id ?? null), failed };
}

/** Again to those that failed, at most 90. Returns those that failed once more. */
export async function pushAgain(env: Env, ownerId: string, uuids: readonly string[]): Promise<string[]> {
  return pushRows(env, await rowsOf(env, and(eq(connection.ownerId, ownerId), inArray(connection.uuid, [...uuids]))));
}

/** Pushes the record to every object that uses this proxy. Throws when a push fails; repeating it is safe. */
export function pushRecordsOfProxy(env: Env, proxyId: string): Promise<void> {
  return pushAll(env, eq(connection.proxyId, proxyId));
}

/** Pushes the record to the objects of these UUIDs. Throws when a push fails; repeating it is safe. */
export async function pushRecordsOf(env: Env, uuids: readonly string[]): Promise<void> {
  if (uuids.length === 0) return;
  await pushAll(env, inArray(connection.uuid, sql`(SELECT value FROM json_each(${JSON.stringify(uuids)}))`));
}

/** A page after the other: a proxy carries up to 1,000. All are tried before the failure is thrown. */
async function pushAll(env: Env, which: SQL): Promise<void> {
  let failures = 0;
  for (let after = 0; ;) {
    const rows = await rowsOf(env, and(which, gt(connection.id, after)));
    failures += (await pushRows(env, rows)).length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) break;
    after = last.id;
  }
  if (failures > 0) throw new Error(`${failures} records could not be pushed`);
}

function rowsOf(env: Env, which: SQL | undefined): Promise<ConnectionRow[]> {
  return databaseOf(env.DB)
    .select()
    .from(connection)
    .where(and(which, isNull(connection.removedAt)))
    .orderBy(asc(connection.id))
    .limit(PAGE);
}

/** What all of them share is read once. Returns the UUIDs of objects that could not be told. */
async function pushRows(env: Env, rows: readonly ConnectionRow[]): Promise<string[]> {
  const records = await lookUpRecords(env, rows);
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
