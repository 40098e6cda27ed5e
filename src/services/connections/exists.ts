import { and, eq, isNull } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";
import type { ConnectionRecord } from "@gateway/protocol/connection.ts";

type Kind = ConnectionRecord["kind"];

/** The kinds of connections that are known to exist. UUIDs are never reused. */
const known = new Map<string, Kind>();
const MAX_CACHED_UUIDS = 50_000;

/** The kind of a connection that the directory has; null: it has none. Known ones are remembered, so that strangers cost one read each. */
export async function kindOfConnection(binding: D1Database, uuid: string): Promise<Kind | null | "unavailable"> {
  const remembered = known.get(uuid);
  if (remembered !== undefined) return remembered;
  const rows = await databaseOf(binding)
    .select({ kind: connection.kind })
    .from(connection)
    .where(eq(connection.uuid, uuid))
    .limit(1)
    .catch(() => null);
  if (rows === null) return "unavailable";
  const kind = rows[0]?.kind ?? null;
  if (kind === null) return null;
  if (known.size >= MAX_CACHED_UUIDS) known.clear();
  known.set(uuid, kind);
  return kind;
}

/**
 * Whether the directory has such a connection: any name creates an object, so strangers must not choose names. When D1 is unavailable
 * the object itself decides: sessions have to reconnect during an outage of D1.
 */
export async function connectionExists(binding: D1Database, uuid: string): Promise<boolean> {
  return (await kindOfConnection(binding, uuid)) !== null;
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
