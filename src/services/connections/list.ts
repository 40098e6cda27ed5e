// The instances a user may see, with filters, as the Account API lists them.
import { and, asc, eq, gt, inArray, isNotNull, isNull, or, sql, type SQL } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, connectionState, share } from "../../db/schema.ts";
import type { InstanceStatus } from "../../protocol/connection.ts";
import { type Access, accessOf } from "./access.ts";
import type { ConnectionRow } from "./record.ts";

/** null: no such filter. `status` and the phone are those that the objects last wrote to D1. */
export type InstanceFilters = {
  status: InstanceStatus | null;
  kind: ConnectionRow["kind"] | null;
  /** Part of the name or of the phone. */
  q: string | null;
  /** UUIDs that a key is restricted to. */
  among: readonly string[] | null;
  /** Numeric id: only connections after it. */
  after: number;
  limit: number;
};

/** `status` and `phone`: as last written to D1, for when the object is unreachable. */
export type ListedInstance = Access & { status: InstanceStatus | null; phone: string | null };

/** Oldest first. */
export async function listInstances(binding: D1Database, userId: string, filters: InstanceFilters): Promise<ListedInstance[]> {
  const { status, kind, q, among, after, limit } = filters;
  const visible = or(eq(connection.ownerId, userId), isNotNull(share.role));
  const conditions: (SQL | undefined)[] = [
    isNull(connection.removedAt),
    visible,
    gt(connection.id, after),
    status === null ? undefined : eq(connectionState.status, status),
    kind === null ? undefined : eq(connection.kind, kind),
    q === null ? undefined : or(contains(connection.name, q), contains(connectionState.phone, q)),
    among === null ? undefined : inArray(connection.uuid, [...among]),
  ];
  const rows = await databaseOf(binding)
    .select({ connection, sharedAs: share.role, status: connectionState.status, phone: connectionState.phone })
    .from(connection)
    .leftJoin(share, and(eq(share.connectionId, connection.id), eq(share.userId, userId)))
    .leftJoin(connectionState, eq(connectionState.connectionId, connection.id))
    .where(and(...conditions))
    .orderBy(asc(connection.id))
    .limit(limit);
  return rows.flatMap(({ connection: row, sharedAs, status, phone }) => {
    const access = accessOf(userId, row, sharedAs);
    return access === null ? [] : [{ ...access, status, phone }];
  });
}

/** Case-insensitive for ASCII letters; `instr` has no wildcards to escape. */
function contains(column: typeof connection.name | typeof connectionState.phone, part: string): SQL {
  return sql`instr(lower(${column}), lower(${part})) > 0`;
}
