// Pushes of D1's current records to the objects that have copies of them.
import { and, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import type { ConnectionRecord } from "../../protocol/connection.ts";
import { accountGuardStub } from "../accounts/guard.ts";
import { mapInBatches } from "../batches.ts";
import { retried } from "../object-stubs.ts";
import { connectionStub } from "./stub.ts";
import { lookUpRecords } from "./record.ts";

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
  const records = await lookUpRecords(env, and(eq(connection.ownerId, ownerId), gt(connection.id, after)), PAGE);
  const failed = await pushAll(env, records);
  return { next: records.length < PAGE ? null : (records.at(-1)?.id ?? null), failed };
}

/** Again to those that failed, at most 90. Returns those that failed once more. */
export async function pushAgain(env: Env, ownerId: string, uuids: readonly string[]): Promise<string[]> {
  return pushAll(env, await lookUpRecords(env, and(eq(connection.ownerId, ownerId), inArray(connection.uuid, [...uuids])), PAGE));
}

/** Pushes the record to every object that uses this proxy. Throws when a push fails; repeating it is safe. */
export function pushRecordsOfProxy(env: Env, proxyId: string): Promise<void> {
  return pushPages(env, eq(connection.proxyId, proxyId));
}

/** Pushes the record to the objects of these UUIDs. Throws when a push fails; repeating it is safe. */
export async function pushRecordsOf(env: Env, uuids: readonly string[]): Promise<void> {
  if (uuids.length === 0) return;
  await pushPages(env, inArray(connection.uuid, sql`(SELECT value FROM json_each(${JSON.stringify(uuids)}))`));
}

/** A page after the other: a proxy carries up to 1,000. All are tried before the failure is thrown. */
async function pushPages(env: Env, which: SQL): Promise<void> {
  let failures = 0;
  for (let after = 0; ;) {
    const records = await lookUpRecords(env, and(which, gt(connection.id, after)), PAGE);
    failures += (await pushAll(env, records)).length;
    const last = records.at(-1);
    if (last === undefined || records.length < PAGE) break;
    after = last.id;
  }
  if (failures > 0) throw new Error(`${failures} records could not be pushed`);
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
