// Who may see a connection: its owner, and whom the owner shared it with. For everybody else it does not exist.
import { and, asc, eq, gt, isNotNull, isNull, or, type SQL } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, share } from "../../db/schema.ts";
import type { Role } from "../../protocol/operations.ts";
import type { ConnectionRow } from "./record.ts";

export type Access = { connection: ConnectionRow; role: Role };

/** The user's access to the connection of this numeric id, or null. */
export async function accessTo(binding: D1Database, userId: string, id: number): Promise<Access | null> {
  return (await visibleTo(binding, userId, eq(connection.id, id), 1))[0] ?? null;
}

/** Connections the user may see, oldest first, those after the given id. */
export function listAccess(binding: D1Database, userId: string, afterId: number, limit: number): Promise<Access[]> {
  return visibleTo(binding, userId, gt(connection.id, afterId), limit);
}

async function visibleTo(binding: D1Database, userId: string, which: SQL, limit: number): Promise<Access[]> {
  const rows = await databaseOf(binding)
    .select({ connection, sharedAs: share.role })
    .from(connection)
    .leftJoin(share, and(eq(share.connectionId, connection.id), eq(share.userId, userId)))
    .where(and(isNull(connection.removedAt), or(eq(connection.ownerId, userId), isNotNull(share.role)), which))
    .orderBy(asc(connection.id))
    .limit(limit);
  return rows.flatMap((row): Access[] => {
    if (row.connection.ownerId === userId) return [{ connection: row.connection, role: "owner" }];
    return row.sharedAs === null ? [] : [{ connection: row.connection, role: row.sharedAs }];
  });
}
