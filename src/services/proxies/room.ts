import { and, count, eq, isNull, type SQL, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, proxy } from "../../db/schema.ts";
import { fail, type Failed } from "@gateway/protocol/failures.ts";

export function assignedTo(id: SQL): SQL<number> {
  return sql`(SELECT COUNT(*) FROM connection c WHERE c.proxy_id = ${id} AND c.removed_at IS NULL)`;
}

/** Active with room for `more`. Use it in the adding statement, so that concurrent requests cannot exceed the limit. */
export function hasRoom(id: string, more: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM proxy p WHERE p.id = ${id} AND p.is_active = 1 AND ${assignedTo(sql`p.id`)} + ${more} <= p.max_instances)`;
}

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

/** The failure for an unknown proxy, also used for an inactive one, which owners cannot choose. */
export function noSuchProxy(): Failed {
  return fail("validation_error", { issues: [{ field: "proxy_id", issue: "there is no such proxy, or it is not active" }] });
}
