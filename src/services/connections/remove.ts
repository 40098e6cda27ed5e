// Removes a connection. It is hidden at once, its object removes the rest, and its id is never reused.
import { and, asc, eq, inArray, isNotNull, lt } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { accountWebhook, connection, connectionState, dailyCount, hourlyCount, share, shareInvitation } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { endStreams } from "../accounts/guard.ts";
import { mapInBatches } from "../batches.ts";
import { connectionStub } from "./stub.ts";

const TRY_AGAIN_MS = 60_000;
const CONCURRENCY = 10;

/** Frees the number for another connection. */
export const NO_NUMBER = { cloudPhoneNumberId: null, cloudWabaId: null, cloudTokenLast4: null };

/** Once this returns, keys and file links no longer work. Throws if the object could not be reached. The watchdog then retries. */
export async function removeConnection(env: Env, id: number, uuid: string, now: number): Promise<void> {
  const database = databaseOf(env.DB);
  // The row stays until the object has removed the files. Names, metadata and settings are deleted at once.
  const [removed] = await retriedWrite(() =>
    database.batch([
      database
        .update(connection)
        .set({ removedAt: now, updatedAt: now, name: "", metadata: {}, settings: {}, proxyId: null, ...NO_NUMBER })
        .where(eq(connection.id, id))
        .returning({ ownerId: connection.ownerId }),
      database.delete(share).where(eq(share.connectionId, id)),
      database.delete(shareInvitation).where(eq(shareInvitation.connectionId, id)),
      database.delete(connectionState).where(eq(connectionState.connectionId, id)),
      database.delete(accountWebhook).where(eq(accountWebhook.instanceId, uuid)),
    ]),
  );
  try {
    for (const { ownerId } of removed) await endStreams(env, ownerId, { connection: uuid });
  } finally {
    await connectionStub(env, uuid).wipe();
  }
}

/** Only starts the removal. Throws, after logging, if the object could not be reached. */
export async function beginRemoval(env: Env, uuid: string): Promise<void> {
  try {
    await connectionStub(env, uuid).remove();
  } catch (error) {
    log("connection.removal_not_begun", { connection: uuid, ...errorFields(error) });
    throw error;
  }
}

/** Resumes interrupted removals, least recently resumed first, and returns their number. Throws if an object could not be reached. */
export async function finishRemovals(env: Env, now: number, limit: number): Promise<number> {
  const database = databaseOf(env.DB);
  const rows = await database
    .select({ uuid: connection.uuid })
    .from(connection)
    .where(and(isNotNull(connection.removedAt), lt(connection.removedAt, now - TRY_AGAIN_MS)))
    .orderBy(asc(connection.updatedAt))
    .limit(limit);
  const uuids = rows.map(({ uuid }) => uuid);
  await database.update(connection).set({ updatedAt: now }).where(inArray(connection.uuid, uuids));
  await mapInBatches(uuids, CONCURRENCY, (uuid) => beginRemoval(env, uuid));
  return uuids.length;
}

export async function forgetConnection(binding: D1Database, uuid: string): Promise<void> {
  const database = databaseOf(binding);
  const scope = `connection:${uuid}`;
  await retriedWrite(() =>
    database.batch([
      database.delete(connection).where(and(eq(connection.uuid, uuid), isNotNull(connection.removedAt))),
      database.delete(hourlyCount).where(eq(hourlyCount.scope, scope)),
      database.delete(dailyCount).where(eq(dailyCount.scope, scope)),
    ]),
  );
}
