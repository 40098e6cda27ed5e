import { and, eq, isNull, ne, or, sql } from "drizzle-orm";
import { databaseOf, rowsOf } from "../../db/database.ts";
import { connection, connectionState, user } from "../../db/schema.ts";

export async function activeAdministrators(binding: D1Database): Promise<string[]> {
  const active = and(eq(user.role, "admin"), eq(user.status, "active"), eq(user.emailVerified, true));
  return (await databaseOf(binding).select({ id: user.id }).from(user).where(active)).map(({ id }) => id);
}

export async function ownersOfAway(binding: D1Database, uuids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await databaseOf(binding)
    .select({ ownerId: connection.ownerId, name: connection.name })
    .from(connection)
    .leftJoin(connectionState, eq(connectionState.connectionId, connection.id))
    .where(
      and(
        sql`${connection.uuid} IN ${rowsOf(uuids)}`,
        isNull(connection.removedAt),
        or(isNull(connectionState.status), ne(connectionState.status, "connected")),
      ),
    )
    .orderBy(connection.id);
  const names = new Map<string, string[]>();
  for (const { ownerId, name } of rows) names.set(ownerId, [...(names.get(ownerId) ?? []), name]);
  return names;
}
