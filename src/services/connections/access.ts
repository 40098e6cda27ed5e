// A connection is visible to its owner and to users it was shared with. For everyone else it does not exist.
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, or, type SQL } from "drizzle-orm";
import { databaseOf, rowsOf } from "../../db/database.ts";
import { connection, connectionCount, share } from "../../db/schema.ts";
import type { Role } from "@gateway/protocol/operations.ts";
import type { ConnectionRow } from "./record.ts";

export type Access = { connection: ConnectionRow; role: Role };

type OpenedAccess = Access & { openedAt: number | null };

export async function accessTo(binding: D1Database, userId: string, id: number): Promise<OpenedAccess | null> {
  return (await visibleTo(binding, userId, eq(connection.id, id), 1))[0] ?? null;
}

export function accessToEach(binding: D1Database, userId: string, ids: readonly number[]): Promise<Access[]> {
  return visibleTo(binding, userId, inArray(connection.id, [...ids]), ids.length);
}

export function listAccess(binding: D1Database, userId: string, afterId: number, limit: number): Promise<Access[]> {
  return visibleTo(binding, userId, gt(connection.id, afterId), limit);
}

async function visibleTo(binding: D1Database, userId: string, which: SQL, limit: number): Promise<OpenedAccess[]> {
  const rows = await databaseOf(binding)
    .select({ connection, sharedAs: share.role, openedAt: share.openedAt })
    .from(connection)
    .leftJoin(share, and(eq(share.connectionId, connection.id), eq(share.userId, userId)))
    .where(and(isNull(connection.removedAt), or(eq(connection.ownerId, userId), isNotNull(share.role)), which))
    .orderBy(asc(connection.id))
    .limit(limit);
  return rows.flatMap(({ openedAt, ...row }) => {
    const access = accessOf(userId, row.connection, row.sharedAs);
    return access === null ? [] : [{ ...access, openedAt }];
  });
}

export function accessOf<Row extends Pick<ConnectionRow, "ownerId">>(
  userId: string,
  row: Row | null,
  sharedAs: Role | null,
): { connection: Row; role: Role } | null {
  if (row === null) return null;
  if (row.ownerId === userId) return { connection: row, role: "owner" };
  return sharedAs === null ? null : { connection: row, role: sharedAs };
}

export async function countOwned(binding: D1Database, ownerId: string): Promise<number> {
  const [counted] = await databaseOf(binding).select().from(connectionCount).where(eq(connectionCount.ownerId, ownerId));
  return counted?.connections ?? 0;
}

export async function ownedAmong(binding: D1Database, ownerId: string, uuids: readonly string[], newest: number): Promise<string[]> {
  const isOwn = and(eq(connection.ownerId, ownerId), isNull(connection.removedAt));
  const database = databaseOf(binding);
  const last = database.select({ id: connection.id }).from(connection).where(isOwn).orderBy(desc(connection.id)).limit(newest);
  const rows = await database
    .select({ uuid: connection.uuid })
    .from(connection)
    .where(and(isOwn, or(inArray(connection.uuid, rowsOf(uuids)), inArray(connection.id, last))))
    .orderBy(asc(connection.id));
  return rows.map(({ uuid }) => uuid);
}

export async function firstOwned(binding: D1Database, ownerId: string): Promise<string | null> {
  const [first] = await databaseOf(binding)
    .select({ uuid: connection.uuid })
    .from(connection)
    .where(and(eq(connection.ownerId, ownerId), isNull(connection.removedAt)))
    .orderBy(asc(connection.id))
    .limit(1);
  return first?.uuid ?? null;
}

export async function ownedConnections(binding: D1Database, ownerId: string): Promise<string[]> {
  const rows = await databaseOf(binding)
    .select({ uuid: connection.uuid })
    .from(connection)
    .where(and(eq(connection.ownerId, ownerId), isNull(connection.removedAt)))
    .orderBy(asc(connection.id));
  return rows.map(({ uuid }) => uuid);
}
