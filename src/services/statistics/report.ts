import { and, asc, count, eq, gte, isNull, ne, sql, sum, type SQL } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, connectionState, dailyCount, hourlyCount, subscription, user } from "../../db/schema.ts";
import { hourOf } from "@gateway/domain/statistics/counts.ts";
import type { CountedTime, Unit } from "@gateway/domain/statistics/report.ts";
import { PUSH_WINDOW_MS } from "./push.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { mapAtMost } from "../batches.ts";
import { connectionStub } from "../connections/stub.ts";

export type Scope = { kind: "all" } | { kind: "user" | "connection"; id: string };

const nameOf = (scope: Scope): string => (scope.kind === "all" ? "all" : `${scope.kind}:${scope.id}`);

function connectionsIn(scope: Scope): SQL | undefined {
  const there = isNull(connection.removedAt);
  if (scope.kind === "all") return there;
  return and(there, scope.kind === "user" ? eq(connection.ownerId, scope.id) : eq(connection.uuid, scope.id));
}

export async function firstConnections(binding: D1Database, scope: Scope, limit: number): Promise<string[]> {
  const rows = await databaseOf(binding).select({ uuid: connection.uuid }).from(connection).where(connectionsIn(scope)).limit(limit);
  return rows.map(({ uuid }) => uuid);
}

export function countedSince(binding: D1Database, scope: Scope, unit: Unit, from: number): Promise<CountedTime[]> {
  const table = unit === "hour" ? hourlyCount : dailyCount;
  return databaseOf(binding)
    .select({ at: table.at, counts: table.counts })
    .from(table)
    .where(and(eq(table.scope, nameOf(scope)), gte(table.at, from)))
    .orderBy(asc(table.at));
}

export async function presentOf(binding: D1Database, scope: Scope): Promise<{ connected: number; waiting: number }> {
  const [row] = await databaseOf(binding)
    .select({ connected: sum(connectionState.connected), waiting: sum(connectionState.waitingDeliveries) })
    .from(connection)
    .innerJoin(connectionState, eq(connectionState.connectionId, connection.id))
    .where(connectionsIn(scope));
  return { connected: Number(row?.connected ?? 0), waiting: Number(row?.waiting ?? 0) };
}

export function completeUntil(now: number): number {
  return hourOf(now - PUSH_WINDOW_MS);
}

export type Overview = {
  users: { total: number; active: number; suspended: number; subscribed: number };
  instances: { total: number; byStatus: Record<string, number>; byKind: Record<string, number> };
};

export async function overviewOf(binding: D1Database, scope: Scope): Promise<Overview> {
  const database = databaseOf(binding);
  const status = sql<string>`ifnull(${connectionState.status}, 'disconnected')`;
  const users = scope.kind === "connection" ? eq(user.id, ownerOf(scope.id)) : scope.kind === "user" ? eq(user.id, scope.id) : undefined;
  const subscribed = sql<number>`sum(${subscription.status} IN ('active', 'trialing'))`;
  const [accounts, instances] = await database.batch([
    database
      .select({ status: user.status, count: count(), subscribed })
      .from(user)
      .leftJoin(subscription, eq(subscription.userId, user.id))
      .where(and(ne(user.status, "removed"), users))
      .groupBy(user.status),
    database
      .select({ kind: connection.kind, status, count: count() })
      .from(connection)
      .leftJoin(connectionState, eq(connectionState.connectionId, connection.id))
      .where(connectionsIn(scope))
      .groupBy(connection.kind, status),
  ]);
  const withStatus = (wanted: string) => accounts.find(({ status }) => status === wanted)?.count ?? 0;
  return {
    users: {
      total: accounts.reduce((total, row) => total + row.count, 0),
      active: withStatus("active"),
      suspended: withStatus("suspended"),
      subscribed: accounts.reduce((total, row) => total + (row.subscribed ?? 0), 0),
    },
    instances: {
      total: instances.reduce((total, row) => total + row.count, 0),
      byStatus: countedBy(instances, (row) => row.status),
      byKind: countedBy(instances, (row) => row.kind),
    },
  };
}

const ownerOf = (uuid: string): SQL => sql`(SELECT ${connection.ownerId} FROM ${connection} WHERE ${connection.uuid} = ${uuid})`;

function countedBy<R extends { count: number }>(rows: readonly R[], name: (row: R) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[name(row)] = (counts[name(row)] ?? 0) + row.count;
  return counts;
}

/** With more connections than this, the part is skipped, because each connection needs a call, which may wake a sleeping object. */
const MAX_CONNECTIONS = 100;
const CONCURRENCY = 20;
const WAIT_MS = 2_000;

export async function bringRunningHour(env: Env, scope: Scope): Promise<void> {
  const uuids = await firstConnections(env.DB, scope, MAX_CONNECTIONS + 1);
  if (uuids.length > MAX_CONNECTIONS) return;
  const pushed = mapAtMost(uuids, CONCURRENCY, async (connection) => {
    try {
      await connectionStub(env, connection).pushStatistics();
    } catch (error) {
      log("statistics.not_pushed", { connection, ...errorFields(error) });
    }
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, WAIT_MS);
  await Promise.race([pushed, promise]);
  clearTimeout(timer);
}
