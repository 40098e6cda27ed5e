import { and, asc, eq, isNull } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";

/** UUIDs of the account's own connections, oldest first. */
export async function ownedInstances(binding: D1Database, ownerId: string): Promise<string[]> {
  const rows = await databaseOf(binding)
    .select({ uuid: connection.uuid })
    .from(connection)
    .where(and(eq(connection.ownerId, ownerId), isNull(connection.removedAt)))
    .orderBy(asc(connection.id));
  return rows.map(({ uuid }) => uuid);
}
