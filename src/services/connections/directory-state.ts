// D1's copy of the objects' states, for filtered lists. It is never read while a message is handled.
import { databaseOf } from "../../db/database.ts";
import { connectionState } from "../../db/schema.ts";
import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import type { StatusReason } from "@gateway/domain/instance/state.ts";
import { retriedWrite } from "../../db/outages.ts";

/** `stateKid` is the STATE_SECRET entry that encrypts the object's keys. Times are in Unix ms. */
export type DirectoryState = {
  status: InstanceStatus;
  reason: StatusReason;
  statusChangedAt: number;
  bridgeId: string | null;
  phone: string | null;
  stateKid: number;
};

/** The part of a row that tells whether it is the object's last write. */
export type WrittenState = Pick<typeof connectionState.$inferSelect, "statusChangedAt" | "bridgeId">;

export async function writeConnectionState(binding: D1Database, connectionId: number, state: DirectoryState, now: number): Promise<void> {
  const noted = { ...state, notedAt: now };
  await retriedWrite(() =>
    databaseOf(binding)
      .insert(connectionState)
      .values({ connectionId, ...noted })
      .onConflictDoUpdate({ target: connectionState.connectionId, set: noted }),
  );
}
