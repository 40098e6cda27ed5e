import { invalidField } from "@gateway/domain/failures/field-problems.ts";
import { and, asc, count, eq, gt, inArray, isNull, or, sql, type SQL } from "drizzle-orm";
import { databaseOf, rowsOf } from "../../db/database.ts";
import { connection, connectionState, proxy, proxyHealth } from "../../db/schema.ts";
import { type ProxyHealth, UNKNOWN_HEALTH } from "@gateway/domain/proxies/health.ts";
import type { ProxyStatus } from "@gateway/protocol/bridge-socket.ts";
import { fail, type Failed } from "@gateway/protocol/failures.ts";

export type Proxy = typeof proxy.$inferSelect;
export type ListedProxy = { proxy: Proxy; health: ProxyHealth; assigned: number };
export type ProxyInstance = { uuid: string; name: string; ownerId: string; phone: string | null; status: string | null };

export type ProxyPlace = { createdAt: number; id: string };

const statusOf = sql<ProxyStatus>`COALESCE(${proxyHealth.status}, 'unknown')`;
const columns = { proxy, health: proxyHealth, assigned: assignedTo(sql`${proxy.id}`) };

type ProxyRow = { proxy: Proxy; health: typeof proxyHealth.$inferSelect | null; assigned: number };

function listed({ proxy: row, health, assigned }: ProxyRow): ListedProxy {
  return { proxy: row, health: health ?? UNKNOWN_HEALTH, assigned };
}

export async function findProxy(binding: D1Database, id: string): Promise<ListedProxy | null> {
  const rows = await databaseOf(binding)
    .select(columns)
    .from(proxy)
    .leftJoin(proxyHealth, eq(proxyHealth.proxyId, proxy.id))
    .where(eq(proxy.id, id))
    .limit(1);
  return rows[0] === undefined ? null : listed(rows[0]);
}

export async function listProxies(
  binding: D1Database,
  { status, after, limit }: { status: ProxyStatus | null; after: ProxyPlace | null; limit: number },
): Promise<ListedProxy[]> {
  const rows = await databaseOf(binding)
    .select(columns)
    .from(proxy)
    .leftJoin(proxyHealth, eq(proxyHealth.proxyId, proxy.id))
    .where(
      and(
        status === null ? undefined : eq(statusOf, status),
        after === null
          ? undefined
          : or(gt(proxy.createdAt, after.createdAt), and(eq(proxy.createdAt, after.createdAt), gt(proxy.id, after.id))),
      ),
    )
    .orderBy(asc(proxy.createdAt), asc(proxy.id))
    .limit(limit);
  return rows.map(listed);
}

export async function countProxies(binding: D1Database): Promise<{ total: number } & Record<ProxyStatus, number>> {
  const rows = await databaseOf(binding)
    .select({ status: statusOf, n: count() })
    .from(proxy)
    .leftJoin(proxyHealth, eq(proxyHealth.proxyId, proxy.id))
    .groupBy(statusOf);
  const counts = { total: 0, healthy: 0, degraded: 0, down: 0, unknown: 0 };
  for (const { status, n } of rows) {
    counts[status] += n;
    counts.total += n;
  }
  return counts;
}

export async function instanceIdsOf(binding: D1Database, proxyIds: readonly string[]): Promise<Map<string, string[]>> {
  const ids = rowsOf(proxyIds);
  const rows = await databaseOf(binding)
    .select({ proxyId: connection.proxyId, uuid: connection.uuid })
    .from(connection)
    .where(and(inArray(connection.proxyId, ids), isNull(connection.removedAt)))
    .orderBy(asc(connection.id));
  const found = new Map<string, string[]>(proxyIds.map((id) => [id, []]));
  for (const { proxyId, uuid } of rows) if (proxyId !== null) found.get(proxyId)?.push(uuid);
  return found;
}

export async function instancesOfProxy(binding: D1Database, id: string): Promise<ProxyInstance[]> {
  return databaseOf(binding)
    .select({
      uuid: connection.uuid,
      name: connection.name,
      ownerId: connection.ownerId,
      phone: connectionState.phone,
      status: connectionState.status,
    })
    .from(connection)
    .leftJoin(connectionState, eq(connectionState.connectionId, connection.id))
    .where(and(eq(connection.proxyId, id), isNull(connection.removedAt)))
    .orderBy(asc(connection.id));
}

export async function healthOfProxy(binding: D1Database, id: string): Promise<ProxyHealth> {
  const rows = await databaseOf(binding).select().from(proxyHealth).where(eq(proxyHealth.proxyId, id)).limit(1);
  return rows[0] ?? UNKNOWN_HEALTH;
}

export function assignedTo(id: SQL): SQL<number> {
  return sql`(SELECT COUNT(*) FROM connection c WHERE c.proxy_id = ${id} AND c.removed_at IS NULL)`;
}

/** True if the proxy is active and has room for `more`. Use it in the inserting statement, so that concurrent requests cannot exceed it. */
export function hasCapacity(id: string, more: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM proxy p WHERE p.id = ${id} AND p.is_active = 1 AND ${assignedTo(sql`p.id`)} + ${more} <= p.max_instances)`;
}

export async function proxyFull(binding: D1Database, id: string, asked: number): Promise<Failed> {
  const database = databaseOf(binding);
  const [[row], [assigned]] = await database.batch([
    database.select({ max: proxy.maxInstances, isActive: proxy.isActive }).from(proxy).where(eq(proxy.id, id)),
    database
      .select({ n: count() })
      .from(connection)
      .where(and(eq(connection.proxyId, id), isNull(connection.removedAt))),
  ]);
  if (row === undefined || !row.isActive) return noSuchProxy();
  return fail("proxy_full", { details: { max_instances: row.max, assigned: assigned?.n ?? 0, asked } });
}

/** The failure for an unknown proxy, also used for inactive proxies, which owners cannot choose. */
function noSuchProxy(): Failed {
  return invalidField("proxy_id", "unknown_proxy");
}
