// The projection of the objects' state in D1: for lists with filters, never read on a message's path.
import { databaseOf } from "../../db/database.ts";
import { connectionState } from "../../db/schema.ts";
import type { StatusReason } from "@gateway/domain/instance/state.ts";
import type { InstanceStatus } from "@gateway/protocol/connection.ts";

/** `stateKid`: the entry of STATE_SECRET that the object's keys are encrypted under. Times in Unix ms. */
export type DirectoryState = {
  status: InstanceStatus;
  reason: StatusReason;
  statusChangedAt: number;
  /** The bridge that has its session. */
  bridgeId: string | null;
  phone: string | null;
  stateKid: number;
};

/** Writes an object's status and its bridge. */
export async function writeConnectionState(binding: D1Database, connectionId: number, state: DirectoryState, now: number): Promise<void> {
  const noted = { ...state, notedAt: now };
  await databaseOf(binding)
    .insert(connectionState)
    .values({ connectionId, ...noted })
    .onConflictDoUpdate({ target: connectionState.connectionId, set: noted });
}
