// The instances of all users, as administrators see them: from D1 alone, no object is asked.
import { and, asc, eq, gt, isNull, or, sql, type SQL } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, connectionState, user } from "../../db/schema.ts";
import type { InstanceStatus } from "@gateway/protocol/connection.ts";

/** null: no such filter. `status` and `bridgeId` are those that the objects last wrote to D1. */
export type AllInstancesFilter = {
  userId: string | null;
  status: InstanceStatus | null;
  bridgeId: string | null;
  /** Part of the name, the phone or the owner's address. */
  q: string | null;
};

/** `state`: null until its object has written it. */
export type InstanceOverview = Awaited<ReturnType<typeof listAllInstances>>[number];

/** Oldest first, those after the numeric id `after`. */
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
        q === null ? undefined : or(contains(connection.name, q), contains(connectionState.phone, q), contains(user.email, q)),
      ),
    )
    .orderBy(asc(connection.id))
    .limit(limit);
}

/** Case-insensitive for ASCII letters; `instr` has no wildcards to escape. */
function contains(column: typeof connection.name | typeof connectionState.phone | typeof user.email, part: string): SQL {
  return sql`instr(lower(${column}), lower(${part})) > 0`;
}
