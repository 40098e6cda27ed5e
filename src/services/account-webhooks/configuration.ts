// A connection's configuration in D1. Its object reads it once a day.
import { and, eq, isNull } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, connectionState } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import type { AccountEndpoint, ConnectionRecord } from "@gateway/protocol/connection.ts";
import { recordsOf } from "../connections/record.ts";
import type { WrittenState } from "../connections/directory-state.ts";
import { lookUpEndpoints } from "./push.ts";

type ConnectionConfiguration = {
  record: ConnectionRecord;
  state: WrittenState | null;
  endpoints: AccountEndpoint[] | null;
  revision: number;
};

/** `knownRevision` is the object's revision of the account's endpoints. Returns null when the connection does not exist. */
export async function readConfiguration(env: Env, uuid: string, knownRevision: number): Promise<ConnectionConfiguration | null> {
  const found = (
    await databaseOf(env.DB)
      .select({ row: connection, state: connectionState })
      .from(connection)
      .leftJoin(connectionState, eq(connectionState.connectionId, connection.id))
      .where(and(eq(connection.uuid, uuid), isNull(connection.removedAt)))
      .limit(1)
  )[0];
  if (found === undefined) return null;
  const { row, state } = found;
  const [[record], known] = await Promise.all([recordsOf(env, [row]), lookUpEndpoints(env, row.ownerId, uuid, knownRevision)]);
  return record === undefined ? null : { record, state, ...known };
}
