import { and, eq, isNull } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";

/** UUIDs known to exist. They are never reused. */
const known = new Set<string>();
const MAX_CACHED_UUIDS = 50_000;

/**
 * Whether the directory has such a connection: any name creates an object, so strangers must not choose names. When D1 is unavailable
 * the object itself decides: sessions have to reconnect during an outage of D1.
 */
export async function connectionExists(binding: D1Database, uuid: string): Promise<boolean> {
  if (known.has(uuid)) return true;
  const rows = await databaseOf(binding)
    .select({ id: connection.id })
    .from(connection)
    .where(eq(connection.uuid, uuid))
    .limit(1)
    .catch(() => null);
  if (rows === null) return true;
  if (rows.length === 0) return false;
  if (known.size >= MAX_CACHED_UUIDS) known.clear();
  known.add(uuid);
  return true;
}

/**
 * Whether the connection has been removed, or is being removed. Never cached: it decides whether files may be stored and shown. During an
 * outage of D1 nothing can be removed, so the answer is no.
 */
export async function connectionIsRemoved(binding: D1Database, uuid: string): Promise<boolean> {
  const rows = await databaseOf(binding)
    .select({ id: connection.id })
    .from(connection)
    .where(and(eq(connection.uuid, uuid), isNull(connection.removedAt)))
    .limit(1)
    .catch(() => null);
  return rows?.length === 0;
}
