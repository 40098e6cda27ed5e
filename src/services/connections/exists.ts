import { and, eq, isNull } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";
import type { ConnectionRecord } from "@gateway/protocol/connection.ts";

type Kind = ConnectionRecord["kind"];

const known = new Map<string, Kind>();
const MAX_CACHED_UUIDS = 50_000;

/** null: no such connection in the directory. Existing ones are cached, so that only unknown UUIDs cost a read each. */
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
 * Requests must not choose names freely, because any name creates an object. While D1 is down this returns true and the object decides,
 * because sessions must be able to reconnect.
 */
export async function connectionExists(binding: D1Database, uuid: string): Promise<boolean> {
  return (await kindOfConnection(binding, uuid)) !== null;
}

/**
 * Whether the connection was removed, or is being removed. Not cached, because it decides whether files may be stored and shown. While D1
 * is down nothing can be removed, so this returns false.
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
