import { eq, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { fail, type Outcome } from "../../protocol/failures.ts";
import { pushEndpointsTo } from "../account-webhooks/push.ts";
import { findSubscription, isActive } from "../subscriptions/subscription.ts";
import { hasRoom, noRoom } from "../proxies/room.ts";
import { ownedConnections } from "./access.ts";
import { connectionStub } from "./stub.ts";
import { type ConnectionRow, lookUpRecord } from "./record.ts";

type Optional = Partial<Pick<ConnectionRow, "metadata" | "settings" | "proxyId">>;
export type NewConnection = Pick<ConnectionRow, "ownerId" | "name" | "kind"> & Optional;

/**
 * Creates a connection and pushes its record and webhook endpoints to its object. Fails `subscription_required`, `instance_limit`,
 * `proxy_full`, `validation_error` for a proxy that is none, and `not_supported` for a kind that cannot be created yet.
 */
export async function createConnection(env: Env, input: NewConnection, now: number): Promise<Outcome<ConnectionRow>> {
  if (input.kind !== "session") return fail("not_supported", { details: { kind: input.kind } });
  const owned = await findSubscription(env.DB, input.ownerId);
  if (owned === null || !isActive(owned)) return fail("subscription_required");
  const row = await insertWithin(env.DB, input, owned.maxInstances, now);
  if (row === null) return refusalOf(env, input, owned.maxInstances);
  try {
    const record = await lookUpRecord(env, row.uuid);
    if (record === null) throw new Error("removed while it was created");
    await connectionStub(env, row.uuid).configure(record);
    await pushEndpointsTo(env, row.ownerId, row.uuid);
  } catch (error) {
    await databaseOf(env.DB).delete(connection).where(eq(connection.id, row.id));
    throw error;
  }
  return { ok: true, value: row };
}

async function refusalOf(env: Env, { ownerId, proxyId = null }: NewConnection, max: number): Promise<Outcome<never>> {
  if (proxyId === null || (await ownedConnections(env.DB, ownerId)).length >= max)
    return fail("instance_limit", { details: { max_instances: max } });
  return noRoom(env.DB, proxyId, 1);
}

/** Counted and inserted in one statement: two concurrent requests cannot both take the last place. */
async function insertWithin(binding: D1Database, input: NewConnection, max: number, now: number): Promise<ConnectionRow | null> {
  const uuid = crypto.randomUUID();
  const { ownerId, name, kind, proxyId = null } = input;
  const [metadata, settings] = [JSON.stringify(input.metadata ?? {}), JSON.stringify(input.settings ?? {})];
  const database = databaseOf(binding);
  await database.run(sql`
    INSERT INTO connection (uuid, owner_id, name, kind, metadata, settings, proxy_id, created_at, updated_at)
    SELECT ${uuid}, ${ownerId}, ${name}, ${kind}, ${metadata}, ${settings}, ${proxyId}, ${now}, ${now}
    WHERE (SELECT COUNT(*) FROM connection WHERE owner_id = ${ownerId} AND removed_at IS NULL) < ${max}
      AND ${proxyId === null ? sql`TRUE` : hasRoom(proxyId, sql`1`)}`);
  return (await database.select().from(connection).where(eq(connection.uuid, uuid)).limit(1))[0] ?? null;
}
