import { and, count, eq, isNull, type SQL, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, proxy } from "../../db/schema.ts";
import { fail, type Failed } from "@gateway/protocol/failures.ts";

/** How many connections have this proxy, as an expression. */
export function assignedTo(id: SQL): SQL<number> {
  return sql`(SELECT COUNT(*) FROM connection c WHERE c.proxy_id = ${id} AND c.removed_at IS NULL)`;
}

/**
 * Whether the proxy is active and has room for so many more connections: part of the very statement that takes the room, so that two
 * requests cannot both take the last place.
 */
export function hasRoom(id: string, more: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM proxy p WHERE p.id = ${id} AND p.is_active = 1 AND ${assignedTo(sql`p.id`)} + ${more} <= p.max_instances)`;
}

/** Why a statement with `hasRoom` changed nothing. `asked`: how many connections wanted the proxy. */
export async function noRoom(binding: D1Database, id: string, asked: number): Promise<Failed> {
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

/** For a proxy that an owner chooses: one that is not active is none. */
export function noSuchProxy(): Failed {
  return fail("validation_error", { issues: [{ field: "proxy_id", issue: "there is no such proxy, or it is not active" }] });
}
