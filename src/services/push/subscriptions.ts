// Browsers' push subscriptions, at most one per session (docs/internals/notifications.md, "Where notifications are stored").
import { and, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import { databaseOf, rowsOf } from "../../db/database.ts";
import { connection, pushSubscription, session, share, user } from "../../db/schema.ts";

export type PushSubscription = typeof pushSubscription.$inferSelect;

/** A browser belongs to the session that subscribed last. An earlier session in the same browser loses its subscription. */
export async function storeSubscription(binding: D1Database, row: PushSubscription): Promise<void> {
  const database = databaseOf(binding);
  const earlier = or(eq(pushSubscription.sessionId, row.sessionId), eq(pushSubscription.endpoint, row.endpoint));
  await database.batch([database.delete(pushSubscription).where(earlier), database.insert(pushSubscription).values(row)]);
}

export async function findSubscriptionKey(binding: D1Database, sessionId: string): Promise<string | null> {
  const found = await databaseOf(binding)
    .select({ keyId: pushSubscription.keyId })
    .from(pushSubscription)
    .where(eq(pushSubscription.sessionId, sessionId));
  return found[0]?.keyId ?? null;
}

/** Removes the subscription, unless the browser has replaced it. Returns whether it was removed. */
export async function removeSubscription(binding: D1Database, { sessionId, endpoint }: PushSubscription): Promise<boolean> {
  const which = and(eq(pushSubscription.sessionId, sessionId), eq(pushSubscription.endpoint, endpoint));
  const removed = await databaseOf(binding).delete(pushSubscription).where(which).returning({ sessionId: pushSubscription.sessionId });
  return removed.length > 0;
}

/** Push subscriptions of the given sessions, limited to valid sessions whose user may see the connection. */
export async function subscriptionsOf(
  binding: D1Database,
  uuid: string,
  sessions: readonly string[],
  issuer: string,
  now: number,
): Promise<PushSubscription[]> {
  const rows = await databaseOf(binding)
    .select({ found: pushSubscription })
    .from(pushSubscription)
    .innerJoin(session, eq(session.id, pushSubscription.sessionId))
    .innerJoin(user, eq(user.id, session.userId))
    .innerJoin(connection, eq(connection.uuid, uuid))
    .leftJoin(share, and(eq(share.connectionId, connection.id), eq(share.userId, user.id)))
    .where(
      and(
        inArray(pushSubscription.sessionId, rowsOf(sessions)),
        gt(session.expiresAt, new Date(now)),
        sql`coalesce(${session.issuer}, '') = ${issuer}`,
        eq(user.status, "active"),
        isNull(connection.removedAt),
        or(eq(connection.ownerId, user.id), sql`${share.role} IS NOT NULL`),
      ),
    );
  return rows.map(({ found }) => found);
}
