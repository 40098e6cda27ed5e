// Removing a connection: hidden at once, its object wiped after that, its numeric id never reused.
import { and, eq, isNotNull, lt } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { accountWebhook, connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { connectionStub } from "./stub.ts";

/** After this time the watchdog retries a removal whose wipe failed. */
const TRY_AGAIN_MS = 60_000;

export async function removeConnection(env: Env, id: number, uuid: string, now: number): Promise<void> {
  const database = databaseOf(env.DB);
  await database.batch([
    database.update(connection).set({ removedAt: now, updatedAt: now }).where(eq(connection.id, id)),
    // Endpoints of this connection alone go with it.
    database.delete(accountWebhook).where(eq(accountWebhook.instanceId, uuid)),
  ]);
  await finishRemoval(env, id, uuid);
}

/** Resumes interrupted removals. Returns how many. */
export async function finishRemovals(env: Env, now: number, limit: number): Promise<number> {
  const rows = await databaseOf(env.DB)
    .select({ id: connection.id, uuid: connection.uuid })
    .from(connection)
    .where(and(isNotNull(connection.removedAt), lt(connection.removedAt, now - TRY_AGAIN_MS)))
    .limit(limit);
  for (const { id, uuid } of rows) await finishRemoval(env, id, uuid);
  return rows.length;
}

async function finishRemoval(env: Env, id: number, uuid: string): Promise<void> {
  await connectionStub(env, uuid).wipe();
  await databaseOf(env.DB).delete(connection).where(eq(connection.id, id));
}
