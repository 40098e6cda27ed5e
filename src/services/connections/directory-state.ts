// The projection of the objects' state in D1: for lists with filters and for the watchdog, never read on a message's path.
import { and, asc, eq, isNull, lt } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, connectionState } from "../../db/schema.ts";
import type { StatusReason } from "../../domain/instance/state.ts";
import type { InstanceStatus } from "../../protocol/connection.ts";

/** `stateKid`: the entry of STATE_SECRET that the object's keys are encrypted under. Times in Unix ms. */
export type DirectoryState = {
  status: InstanceStatus;
  reason: StatusReason;
  statusChangedAt: number;
  /** The bridge that has its session. */
  bridgeId: string | null;
  phone: string | null;
  nextDue: number | null;
  stateKid: number;
};

/**
 * Writes an object's status, its bridge and when its next work is due (Unix ms). Called when the status changes, and when the next work moves to
 * another minute while it is more than a minute away: not for every delivery.
 */
export async function writeConnectionState(binding: D1Database, connectionId: number, state: DirectoryState, now: number): Promise<void> {
  const noted = { ...state, notedAt: now };
  await databaseOf(binding)
    .insert(connectionState)
    .values({ connectionId, ...noted })
    .onConflictDoUpdate({ target: connectionState.connectionId, set: noted });
}

/** Objects whose work has been overdue since `dueBefore`, perhaps because their alarm was lost. Longest overdue first. */
export async function overdueConnections(binding: D1Database, dueBefore: number, limit: number): Promise<{ id: number; uuid: string }[]> {
  return databaseOf(binding)
    .select({ id: connection.id, uuid: connection.uuid })
    .from(connectionState)
    .innerJoin(connection, eq(connection.id, connectionState.connectionId))
    .where(and(lt(connectionState.nextDue, dueBefore), isNull(connection.removedAt)))
    .orderBy(asc(connectionState.nextDue))
    .limit(limit);
}

/** The object was poked. Unless it writes another due time itself, it counts as overdue again at `until`. */
export async function postponeDue(binding: D1Database, connectionId: number, dueBefore: number, until: number): Promise<void> {
  await databaseOf(binding)
    .update(connectionState)
    .set({ nextDue: until })
    .where(and(eq(connectionState.connectionId, connectionId), lt(connectionState.nextDue, dueBefore)));
}
