// Checks whether a connection exists, for requests that contain its UUID.
import { and, eq, isNull } from "drizzle-orm";
import type { ConnectionRecord } from "@gateway/protocol/connection.ts";
import { databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";

type ConnectionKind = ConnectionRecord["kind"];

const known = new Map<string, ConnectionKind>();
const MAX_CACHED_UUIDS = 50_000;

/** Returns null if the connection is not in the directory. Existing connections are cached, so that only unknown UUIDs cost a read each. */
export async function kindOfConnection(binding: D1Database, uuid: string): Promise<ConnectionKind | null | "unavailable"> {
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

/** Checks the name, because any name would create an object. Returns true while D1 is down, so that sessions can reconnect. */
export async function connectionExists(binding: D1Database, uuid: string): Promise<boolean> {
  return (await kindOfConnection(binding, uuid)) !== null;
}

/** Not cached, because the result decides whether files are kept. Returns false while D1 is down, because nothing can be removed then. */
export async function connectionIsRemoved(binding: D1Database, uuid: string): Promise<boolean> {
  const rows = await databaseOf(binding)
    .select({ id: connection.id })
    .from(connection)
    .where(and(eq(connection.uuid, uuid), isNull(connection.removedAt)))
    .limit(1)
    .catch(() => null);
  return rows?.length === 0;
}
