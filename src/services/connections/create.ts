import { and, eq, gt, isNotNull, isNull, lte, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import type { Region } from "@gateway/domain/fleet/shards.ts";
import { unsupportedChange } from "@gateway/domain/instance/settings-of-kind.ts";
import type { CloudConfiguration } from "@gateway/protocol/cloud/credentials.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { endStreams } from "../accounts/streams.ts";
import { pushEndpointsTo } from "../account-webhooks/push.ts";
import { mapInBatches } from "../batches.ts";
import { findSubscription, isActive } from "../subscriptions/subscription.ts";
import { countHomed, homeForNew } from "../bridges/homes.ts";
import { hasRoom, noRoom } from "../proxies/room.ts";
import { countOwned } from "./access.ts";
import { cloudColumns, refusalOfTaken } from "./cloud-numbers.ts";
import { removeConnection } from "./remove.ts";
import { noLongerPending, PENDING, pushPendingRecords } from "./push-records.ts";
import { connectionStub } from "./stub.ts";
import { type ConnectionRow, lookUpRecord } from "./record.ts";

/** Whose record is still owed at this age may not have the endpoints of its account either. */
const NEW_MS = HOUR_MS;
/** Creations that one run finishes: each takes about seven of its 1,000 subrequests. */
const FINISHED = 50;
const FINISH_CONCURRENCY = 5;

type Optional = Partial<Pick<ConnectionRow, "metadata" | "settings" | "proxyId">>;
/** `region`: where its creator is; null: nobody knows. */
type Shared = Pick<ConnectionRow, "ownerId" | "name"> & Optional & { region?: Region | null };
/** A number of the Cloud API comes with its credentials. */
export type NewConnection = Shared & ({ kind: "session" } | { kind: "cloud_api"; cloud: CloudConfiguration });

/**
 * Creates a connection and pushes its record and webhook endpoints to its object; a number of the Cloud API is tried, and connected, too.
 * Fails `subscription_required`, `instance_limit`, `proxy_full`, `validation_error` for a proxy that is none, `not_supported` for a setting
 * that its kind does not have, `cloud_credentials_invalid`, `unavailable`. After a failure there is no connection.
 */
export async function createConnection(env: Env, input: NewConnection, now: number): Promise<Outcome<ConnectionRow>> {
  const unsupported = unsupportedChange(input.kind, input);
  if (unsupported !== null) return unsupported;
  const owned = await findSubscription(env.DB, input.ownerId);
  if (owned === null || !isActive(owned)) return fail("subscription_required");
  const row = await insertWithin(env, input, owned.maxInstances, now);
  if (row === null) return refusalOf(env, input, owned.maxInstances);
  try {
    if (!(await pushNew(env, row))) throw new Error("removed while it was created");
    // The row is there first: Meta calls back before this is answered.
    const configured = input.kind === "session" ? null : await connectionStub(env, row.uuid).configureCloud(input.cloud);
    if (configured === null || configured.ok) return succeed(row);
    await removeConnection(env, row.id, row.uuid, now);
    return configured;
  } catch (error) {
    // Meta may know its address by now, and the object its credentials.
    if (input.kind === "cloud_api") await removeConnection(env, row.id, row.uuid, now);
    else {
      await databaseOf(env.DB).delete(connection).where(eq(connection.id, row.id));
      await endStreams(env, row.ownerId, { connection: row.uuid });
    }
    throw error;
  }
}

/** Its record and the endpoints of its account; until both are there, its record is owed. False when it is being removed. */
async function pushNew(env: Env, { ownerId, uuid, home }: Pick<ConnectionRow, "ownerId" | "uuid" | "home">): Promise<boolean> {
  const record = await lookUpRecord(env, uuid);
  if (record === null) return false;
  // Its first call: here it is decided where it is.
  await connectionStub(env, uuid, home).configure(record);
  await pushEndpointsTo(env, ownerId, uuid);
  await noLongerPending(databaseOf(env.DB), [uuid], record.revision);
  return true;
}

/**
 * Records that are owed to objects, at most to `limit`, and to new ones everything that their creation brings, should it have been cut
 * short. Throws when one of these cannot be reached.
 */
export async function pushOwedToObjects(env: Env, now: number, limit: number): Promise<void> {
  await pushPendingRecords(env, lte(connection.createdAt, now - NEW_MS), limit);
  const unfinished = await databaseOf(env.DB)
    .select({ ownerId: connection.ownerId, uuid: connection.uuid, home: connection.home })
    .from(connection)
    .where(and(isNotNull(connection.pendingRevision), isNull(connection.removedAt), gt(connection.createdAt, now - NEW_MS)))
    // Those that fail keep none of the others waiting.
    .orderBy(sql`random()`)
    .limit(FINISHED);
  await mapInBatches(unfinished, FINISH_CONCURRENCY, (row) => pushNew(env, row));
}

async function refusalOf(env: Env, input: NewConnection, max: number): Promise<Outcome<never>> {
  const { ownerId, proxyId = null } = input;
  const isFull = (await countOwned(env.DB, ownerId)) >= max;
  const taken = isFull || input.kind !== "cloud_api" ? null : await refusalOfTaken(env, input.cloud);
  if (taken !== null) return taken;
  if (proxyId === null || isFull) return fail("instance_limit", { details: { max_instances: max } });
  return noRoom(env.DB, proxyId, 1);
}

/** Counted and inserted in one statement: two concurrent requests cannot both take the last place. */
async function insertWithin(env: Env, input: NewConnection, max: number, now: number): Promise<ConnectionRow | null> {
  const uuid = crypto.randomUUID();
  const { ownerId, name, kind, proxyId = null } = input;
  const [metadata, settings] = [JSON.stringify(input.metadata ?? {}), JSON.stringify(input.settings ?? {})];
  const number = input.kind === "session" ? null : cloudColumns(input.cloud);
  const cloud = [number?.cloudPhoneNumberId ?? null, number?.cloudWabaId ?? null, number?.cloudTokenLast4 ?? null] as const;
  const home = await homeForNew(env, uuid, input.region ?? null);
  const database = databaseOf(env.DB);
  // A number that another connection has is left out, as is one too many.
  await database.run(sql`
    INSERT OR IGNORE INTO connection (uuid, owner_id, name, kind, metadata, settings, proxy_id, cloud_phone_number_id, cloud_waba_id,
      cloud_token_last4, home, pending_revision, created_at, updated_at)
    SELECT ${uuid}, ${ownerId}, ${name}, ${kind}, ${metadata}, ${settings}, ${proxyId}, ${cloud[0]}, ${cloud[1]}, ${cloud[2]},
      ${home}, ${sql.raw(PENDING)}, ${now}, ${now}
    WHERE COALESCE((SELECT connections FROM connection_count WHERE owner_id = ${ownerId}), 0) < ${max}
      AND ${proxyId === null ? sql`TRUE` : hasRoom(proxyId, sql`1`)}`);
  const [row] = await database.select().from(connection).where(eq(connection.uuid, uuid)).limit(1);
  if (row !== undefined && home !== null) await countHomed(env, home, 1);
  return row ?? null;
}
