import { and, asc, count, desc, eq, gt, inArray, isNotNull, isNull, ne, or, type SQL } from "drizzle-orm";
import { contains, databaseOf, rowsOf } from "../../db/database.ts";
import { connection, connectionState, share, user } from "../../db/schema.ts";
import { ATTENTION_REASONS } from "@gateway/domain/instance/attention.ts";
import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import type { Role } from "@gateway/protocol/operations.ts";
import { type Access, accessOf } from "./access.ts";
import type { ConnectionRow } from "./record.ts";

/** Null means no filter. Statuses and phone numbers are matched as the objects last wrote them. */
export type InstanceFilters = {
  status: InstanceStatus | null;
  kind: ConnectionRow["kind"] | null;
  q: string | null;
  among: readonly string[] | null;
  of?: "owner" | "shared" | undefined;
  after: number;
  limit: number;
};

/** `status` and `phone` are the values last written to D1, for use while the object is unreachable. */
export type ListedInstance = Access & { status: InstanceStatus | null; phone: string | null };

export async function listInstances(binding: D1Database, userId: string, filters: InstanceFilters): Promise<ListedInstance[]> {
  const { status, kind, q, among, of: ownership, after, limit } = filters;
  const conditions: (SQL | undefined)[] = [
    visibleTo(userId),
    gt(connection.id, after),
    status === null ? undefined : eq(connectionState.status, status),
    kind === null ? undefined : eq(connection.kind, kind),
    q === null ? undefined : or(contains(connection.name, q), contains(connectionState.phone, q)),
    among === null ? undefined : inArray(connection.uuid, rowsOf(among)),
    ownership === undefined ? undefined : (ownership === "owner" ? eq : ne)(connection.ownerId, userId),
  ];
  const rows = await statesOf(binding, userId)
    .where(and(...conditions))
    .orderBy(asc(connection.id))
    .limit(limit);
  return rows.flatMap(({ connection: row, sharedAs, status, phone }) => {
    const access = accessOf(userId, row, sharedAs);
    return access === null ? [] : [{ ...access, status, phone }];
  });
}

/** A connection that needs its owner's attention (`ATTENTION_REASONS`), with its state as last written to D1. */
export type NeedyInstance = { id: number; name: string; role: Role; status: InstanceStatus; reason: string; since: number | null };

export async function listNeedy(binding: D1Database, userId: string, limit: number): Promise<{ items: NeedyInstance[]; total: number }> {
  const needy = and(visibleTo(userId), inArray(connectionState.reason, ATTENTION_REASONS));
  const database = databaseOf(binding);
  const [rows, [counted]] = await database.batch([
    statesOf(binding, userId).where(needy).orderBy(desc(connectionState.statusChangedAt), asc(connection.id)).limit(limit),
    database
      .select({ total: count() })
      .from(connection)
      .leftJoin(share, shareWith(userId))
      .leftJoin(connectionState, eq(connectionState.connectionId, connection.id))
      .where(needy),
  ]);
  const items = rows.flatMap(({ connection: row, sharedAs, status, reason, since }) => {
    const access = accessOf(userId, row, sharedAs);
    if (access === null || status === null || reason === null) return [];
    return [{ id: row.id, name: row.name, role: access.role, status, reason, since }];
  });
  return { items, total: counted?.total ?? 0 };
}

function statesOf(binding: D1Database, userId: string) {
  const { status, reason, statusChangedAt: since, phone } = connectionState;
  return databaseOf(binding)
    .select({ connection, sharedAs: share.role, status, reason, since, phone })
    .from(connection)
    .leftJoin(share, shareWith(userId))
    .leftJoin(connectionState, eq(connectionState.connectionId, connection.id));
}

function shareWith(userId: string) {
  return and(eq(share.connectionId, connection.id), eq(share.userId, userId));
}

function visibleTo(userId: string) {
  return and(isNull(connection.removedAt), or(eq(connection.ownerId, userId), isNotNull(share.role)));
}

export async function areVisible(binding: D1Database, userId: string, uuids: readonly string[]): Promise<boolean> {
  const among = [...new Set(uuids)];
  const found = await listInstances(binding, userId, { status: null, kind: null, q: null, among, after: 0, limit: among.length });
  return found.length === among.length;
}

/** Null means no filter. `status` and `bridgeId` are matched as the objects last wrote them. */
export type AllInstancesFilter = {
  userId: string | null;
  status: InstanceStatus | null;
  bridgeId: string | null;
  q: string | null;
};

export type InstanceOverview = Awaited<ReturnType<typeof listAllInstances>>[number];

export function listAllInstances(
  binding: D1Database,
  { userId, status, bridgeId, q }: AllInstancesFilter,
  { after, limit }: { after: number; limit: number },
) {
  return databaseOf(binding)
    .select({ connection, owner: { id: user.id, email: user.email, name: user.name }, state: connectionState })
    .from(connection)
    .innerJoin(user, eq(user.id, connection.ownerId))
    .leftJoin(connectionState, eq(connectionState.connectionId, connection.id))
    .where(
      and(
        isNull(connection.removedAt),
        gt(connection.id, after),
        userId === null ? undefined : eq(connection.ownerId, userId),
        status === null ? undefined : eq(connectionState.status, status),
        bridgeId === null ? undefined : eq(connectionState.bridgeId, bridgeId),
        q === null
          ? undefined
          : or(
              contains(connection.name, q),
              contains(connectionState.phone, q),
              contains(user.email, q),
              eq(connection.uuid, q.toLowerCase()),
            ),
      ),
    )
    .orderBy(asc(connection.id))
    .limit(limit);
}
