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

/** Any name would create an object. True while D1 is down, because sessions must be able to reconnect. */
export async function connectionExists(binding: D1Database, uuid: string): Promise<boolean> {
  return (await kindOfConnection(binding, uuid)) !== null;
}

/** Not cached, because it decides about files. False while D1 is down: nothing can be removed then. */
export async function connectionIsRemoved(binding: D1Database, uuid: string): Promise<boolean> {
  const rows = await databaseOf(binding)
    .select({ id: connection.id })
    .from(connection)
    .where(and(eq(connection.uuid, uuid), isNull(connection.removedAt)))
    .limit(1)
    .catch(() => null);
  return rows?.length === 0;
}
