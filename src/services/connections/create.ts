import { and, eq, gt, isNotNull, isNull, lte, sql } from "drizzle-orm";
import { databaseOf, selectedValues } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { locationOf } from "@gateway/domain/fleet/locations.ts";
import type { Region } from "@gateway/domain/fleet/shards.ts";
import { unsupportedChange } from "@gateway/domain/instance/kinds.ts";
import type { CloudConfiguration } from "@gateway/protocol/cloud.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { endStreams } from "../accounts/guard.ts";
import { pushEndpointsTo } from "../account-webhooks/push.ts";
import { mapInBatches } from "../batches.ts";
import { findSubscription, isActive } from "../subscriptions/subscription.ts";
import { countHomed, homeForNew } from "../bridges/homes.ts";
import { hasCapacity, proxyFull } from "../proxies/find.ts";
import { countOwned } from "./access.ts";
import { cloudColumns, refusalOfTaken } from "./change.ts";
import { removeConnection } from "./remove.ts";
import { noLongerPending, PENDING, pushPendingRecords } from "./push-records.ts";
import { connectionStub } from "./stub.ts";
import { type ConnectionRow, lookUpRecord } from "./record.ts";

/** An older connection's object already has the account's endpoints, so only its pending record is pushed. */
const NEW_MS = HOUR_MS;
/** Maximum creations completed per run. Each takes about seven of its 1,000 subrequests. */
const FINISHED = 50;
const FINISH_CONCURRENCY = 5;

type Optional = Partial<Pick<ConnectionRow, "metadata" | "settings" | "proxyId">>;
type Shared = Pick<ConnectionRow, "ownerId" | "name"> & Optional & { region?: Region | null };
export type NewConnection = Shared & ({ kind: "session" } | { kind: "cloud_api"; cloud: CloudConfiguration });

/** Also verifies and connects a Cloud API number. If that fails, for example with `cloud_credentials_invalid`, leaves nothing behind. */
export async function createConnection(env: Env, input: NewConnection, now: number): Promise<Outcome<ConnectionRow>> {
  const unsupported = unsupportedChange(input.kind, input);
  if (unsupported !== null) return unsupported;
  const owned = await findSubscription(env.DB, input.ownerId);
  if (owned === null || !isActive(owned)) return fail("subscription_required");
  const uuid = crypto.randomUUID();
  let row: ConnectionRow | null = null;
  try {
    row = await insertWithin(env, uuid, input, owned.maxInstances, now);
    if (row === null) return await refusalOf(env, input, owned.maxInstances);
    if (!(await pushNew(env, row))) throw new Error("removed while it was created");
    // The row must exist first, because Meta calls the gateway during this call.
    const configured = input.kind === "session" ? null : await connectionStub(env, row.uuid).configureCloud(input.cloud);
    if (configured === null || configured.ok) return succeed(row);
    await removeConnection(env, row.id, row.uuid, now);
    return configured;
  } catch (error) {
    // Removes the connection again, because the object may already have the record and the credentials, and Meta may have the URL.
    if (row !== null) await removeConnection(env, row.id, uuid, now);
    else {
      await retriedWrite(() => databaseOf(env.DB).delete(connection).where(eq(connection.uuid, uuid)));
      await endStreams(env, input.ownerId, { connection: uuid });
    }
    throw error;
  }
}

/** The record stays pending until the record and the endpoints are pushed. Returns false if the connection is being removed. */
async function pushNew(env: Env, { ownerId, uuid, home }: Pick<ConnectionRow, "ownerId" | "uuid" | "home">): Promise<boolean> {
  const record = await lookUpRecord(env, uuid);
  if (record === null) return false;
  // The first call decides where the object is located.
  await connectionStub(env, uuid, locationOf(home, env.REGION)).configure(record);
  await pushEndpointsTo(env, ownerId, uuid);
  await retriedWrite(() => noLongerPending(databaseOf(env.DB), [uuid], record.revision));
  return true;
}

/** Pushes pending records, up to `limit`, and completes creations that were interrupted. Throws when an object cannot be reached. */
export async function pushPendingToObjects(env: Env, now: number, limit: number): Promise<void> {
  await pushPendingRecords(env, lte(connection.createdAt, now - NEW_MS), limit);
  const unfinished = await databaseOf(env.DB)
    .select({ ownerId: connection.ownerId, uuid: connection.uuid, home: connection.home })
    .from(connection)
    .where(and(isNotNull(connection.pendingRevision), isNull(connection.removedAt), gt(connection.createdAt, now - NEW_MS)))
    .orderBy(sql`random()`)
    .limit(FINISHED);
  await mapInBatches(unfinished, FINISH_CONCURRENCY, (row) => pushNew(env, row));
}

async function refusalOf(env: Env, input: NewConnection, max: number): Promise<Outcome<never>> {
  const { ownerId, proxyId = null } = input;
  const isFull = (await countOwned(env.DB, ownerId)) >= max;
  const taken = isFull || input.kind !== "cloud_api" ? null : await refusalOfTaken(env, input.cloud);
  if (taken !== null) return taken;
  if (isFull) return fail("instance_limit", { details: { max_instances: max } });
  // Without a proxy, no reason is left: the obstacle has just been removed, so a retry may succeed.
  return proxyId === null ? fail("unavailable") : proxyFull(env.DB, proxyId, 1);
}

const NO_CLOUD = { cloudPhoneNumberId: null, cloudWabaId: null, cloudTokenLast4: null };

/** Counts and inserts in one statement, so that concurrent requests cannot exceed the limit. */
async function insertWithin(env: Env, uuid: string, input: NewConnection, max: number, now: number): Promise<ConnectionRow | null> {
  const { ownerId, name, kind, proxyId = null } = input;
  const home = await homeForNew(env, uuid, input.region ?? null);
  const values = selectedValues(connection, {
    id: sql`NULL`,
    uuid,
    ownerId,
    name,
    kind,
    metadata: input.metadata ?? {},
    settings: input.settings ?? {},
    proxyId,
    home,
    ...(input.kind === "session" ? NO_CLOUD : cloudColumns(input.cloud)),
    pendingRevision: sql.raw(PENDING),
    removedAt: null,
    createdAt: now,
    updatedAt: now,
  });
  const owned = sql`COALESCE((SELECT connections FROM connection_count WHERE owner_id = ${ownerId}), 0)`;
  const hasProxy = proxyId === null ? sql`TRUE` : hasCapacity(proxyId, sql`1`);
  const database = databaseOf(env.DB);
  await retriedWrite(() =>
    database
      .insert(connection)
      .select(sql`${values} WHERE ${owned} < ${max} AND ${hasProxy}`)
      .onConflictDoNothing(),
  );
  const [row] = await database.select().from(connection).where(eq(connection.uuid, uuid)).limit(1);
  if (row !== undefined && home !== null) await countHomed(env, home, 1);
  return row ?? null;
}
