import { and, eq, isNull } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { findSubscription } from "../subscriptions/subscription.ts";
import { connectionDoor } from "./door.ts";
import { recordOf } from "./record.ts";

/** Objects told at once: each is one subrequest of ours. */
const AT_ONCE = 20;

/** Tells every object of the account what D1 now says. Throws when one cannot be told; telling again does no harm. */
export async function pushOwnersRecords(env: Env, ownerId: string): Promise<void> {
  const owned = and(eq(connection.ownerId, ownerId), isNull(connection.removedAt));
  const [rows, held] = await Promise.all([databaseOf(env.DB).select().from(connection).where(owned), findSubscription(env.DB, ownerId)]);
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    await Promise.all(rows.slice(at, at + AT_ONCE).map((row) => connectionDoor(env, row.uuid).configure(recordOf(row, held))));
  }
}
