import { and, eq, isNull, type SQL } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { connectionStub } from "./stub.ts";
import { lookUpRecord } from "./record.ts";
import { mapInBatches } from "../batches.ts";

/** Objects called at once: each call is one subrequest. */
const PUSH_CONCURRENCY = 20;

/** Pushes D1's current record to every object of the account. Throws when a push fails; repeating it is safe. */
export function pushRecordsOfOwner(env: Env, ownerId: string): Promise<void> {
  return pushRecords(env, eq(connection.ownerId, ownerId));
}

/** Pushes the record to every object that uses this proxy. */
export function pushRecordsOfProxy(env: Env, proxyId: string): Promise<void> {
  return pushRecords(env, eq(connection.proxyId, proxyId));
}

async function pushRecords(env: Env, which: SQL): Promise<void> {
  const rows = await databaseOf(env.DB)
    .select()
    .from(connection)
    .where(and(which, isNull(connection.removedAt)));
  await mapInBatches(rows, PUSH_CONCURRENCY, async (row) => connectionStub(env, row.uuid).configure(await lookUpRecord(env, row)));
}
