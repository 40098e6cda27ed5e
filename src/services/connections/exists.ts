import { eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";

/** UUIDs seen in the directory: a UUID is never given to a second connection. */
const known = new Set<string>();
const MAX_CACHED_UUIDS = 50_000;

/**
 * Whether the directory has such a connection: naming an object makes it, so a stranger must not name one at will. When D1
 * cannot say, the object itself decides: sessions must come back while D1 is away.
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
