import { eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { connectionStub } from "./stub.ts";
import { type ConnectionRow, lookUpRecord } from "./record.ts";

/** Absent fields stay as they are; `settings` and `metadata` are replaced whole. */
export type ConnectionChanges = Partial<Pick<ConnectionRow, "name" | "settings" | "metadata" | "proxyId">>;

/** Changes a connection. When this returns, its object applies the change. */
export async function changeConnection(env: Env, row: ConnectionRow, changes: ConnectionChanges, now: number): Promise<ConnectionRow> {
  const set = { ...changes, updatedAt: now };
  const changed = { ...row, ...set };
  await databaseOf(env.DB).update(connection).set(set).where(eq(connection.id, row.id));
  await connectionStub(env, row.uuid).configure(await lookUpRecord(env, changed));
  return changed;
}
