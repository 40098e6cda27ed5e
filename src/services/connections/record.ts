import { and, asc, eq, inArray, isNull, ne, type SQL, sql } from "drizzle-orm";
import { databaseOf, rowsOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { connection, proxy, recordRevision, subscription, user } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import type { ConnectionRecord } from "@gateway/protocol/connection.ts";
import { InstanceSettings } from "@gateway/protocol/instance-settings.ts";
import { addressOf, MISSING_PROXY } from "../proxies/address.ts";
import { isActive, type Subscription } from "../subscriptions/subscription.ts";
import type { User } from "../users/user-table.ts";

export type ConnectionRow = typeof connection.$inferSelect;

const CLOCK_MS = sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

export async function lookUpRecord(env: Env, uuid: string): Promise<ConnectionRecord | null> {
  return (await lookUpRecords(env, eq(connection.uuid, uuid), 1))[0] ?? null;
}

/** Reads the revision before the records, so that an older push never undoes a newer one. Sorted by id unless `order` is given. */
export async function lookUpRecords(
  env: Env,
  which: SQL | undefined,
  limit: number,
  order: readonly SQL[] = [],
): Promise<ConnectionRecord[]> {
  const database = databaseOf(env.DB);
  const [taken, rows] = await retriedWrite(() =>
    database.batch([
      takeRevision(env.DB),
      database
        .select()
        .from(connection)
        .where(and(which, isNull(connection.removedAt)))
        .orderBy(...order, asc(connection.id))
        .limit(limit),
    ]),
  );
  const [{ revision } = { revision: 0 }] = taken;
  return (await recordsOf(env, rows)).map((record) => ({ ...record, revision }));
}

/** The records of an account's connections, read in parts. All of them have the revision that was read before the first part. */
export async function readRecordsOf(
  env: Env,
  ownerId: string,
): Promise<{ revision: number; part: (which: SQL | undefined) => Promise<ConnectionRecord[]> }> {
  const database = databaseOf(env.DB);
  const [taken] = await retriedWrite(() => takeRevision(env.DB));
  const revision = taken?.revision ?? 0;
  const [shared] = await database
    .select({ owner: user, subscription })
    .from(user)
    .leftJoin(subscription, eq(subscription.userId, user.id))
    .where(and(eq(user.id, ownerId), ne(user.status, "removed")));
  const part = async (which: SQL | undefined) => {
    const rows = await database
      .select({ connection, proxy })
      .from(connection)
      .leftJoin(proxy, eq(proxy.id, connection.proxyId))
      .where(and(eq(connection.ownerId, ownerId), isNull(connection.removedAt), which))
      .orderBy(asc(connection.id));
    const addressById = new Map<string, string>();
    for (const { proxy: row } of rows) if (row !== null && !addressById.has(row.id)) addressById.set(row.id, addressOf(env, row));
    return rows.map(({ connection: row }) => {
      const address = row.proxyId === null ? null : (addressById.get(row.proxyId) ?? MISSING_PROXY);
      return { ...connectionRecordOf(row, shared?.owner ?? null, shared?.subscription ?? null, address), revision };
    });
  };
  return { revision, part };
}

function takeRevision(binding: D1Database) {
  return databaseOf(binding)
    .insert(recordRevision)
    .values({ one: 1, revision: CLOCK_MS })
    .onConflictDoUpdate({
      target: recordRevision.one,
      set: { revision: sql`MAX(${recordRevision.revision} + 1, ${CLOCK_MS})` },
    })
    .returning();
}

export async function recordsOf(env: Env, rows: readonly ConnectionRow[]): Promise<ConnectionRecord[]> {
  if (rows.length === 0) return [];
  const database = databaseOf(env.DB);
  const owners = [...new Set(rows.map(({ ownerId }) => ownerId))];
  const proxyIds = [...new Set(rows.flatMap(({ proxyId }) => (proxyId === null ? [] : [proxyId])))];
  const [users, subscriptions, proxies] = await database.batch([
    database
      .select()
      .from(user)
      .where(and(inArray(user.id, rowsOf(owners)), ne(user.status, "removed"))),
    database
      .select()
      .from(subscription)
      .where(inArray(subscription.userId, rowsOf(owners))),
    database
      .select()
      .from(proxy)
      .where(inArray(proxy.id, rowsOf(proxyIds))),
  ]);
  const ownerById = new Map(users.map((row) => [row.id, row]));
  const subscriptionOf = new Map(subscriptions.map((row) => [row.userId, row]));
  const addressById = new Map(proxies.map((row) => [row.id, addressOf(env, row)]));
  return rows.map((row) => {
    // An inactive proxy still serves its connections. A deleted one must not be bypassed, so it gets an address that never connects.
    const address = row.proxyId === null ? null : (addressById.get(row.proxyId) ?? MISSING_PROXY);
    return connectionRecordOf(row, ownerById.get(row.ownerId) ?? null, subscriptionOf.get(row.ownerId) ?? null, address);
  });
}

function connectionRecordOf(
  row: ConnectionRow,
  owner: User | null,
  subscription: Subscription | null,
  proxy: string | null,
): ConnectionRecord {
  return {
    revision: 0,
    id: row.id,
    uuid: row.uuid,
    owner_id: row.ownerId,
    name: row.name,
    kind: row.kind,
    owner_suspended: owner?.status === "suspended",
    subscription_active: isActive(subscription),
    subscription_status: subscription?.status ?? null,
    subscription_period_end:
      subscription === null || subscription.currentPeriodEnd === null ? null : new Date(subscription.currentPeriodEnd).toISOString(),
    settings: settingsOfRow(row),
    proxy_url: proxy,
    home: row.home,
  };
}

export function settingsOfRow({ settings }: ConnectionRow): InstanceSettings {
  return InstanceSettings.parse(settings);
}
