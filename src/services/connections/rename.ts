import { eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { findSubscription } from "../subscriptions/subscription.ts";
import { connectionDoor } from "./door.ts";
import { type ConnectionRow, recordOf } from "./record.ts";

/** Gives the connection another name; its events carry it from the next one on. */
export async function renameConnection(env: Env, row: ConnectionRow, name: string, now: number): Promise<ConnectionRow> {
  const renamed = { ...row, name, updatedAt: now };
  await databaseOf(env.DB).update(connection).set({ name, updatedAt: now }).where(eq(connection.id, row.id));
  await connectionDoor(env, row.uuid).configure(recordOf(renamed, await findSubscription(env.DB, row.ownerId)));
  return renamed;
}
