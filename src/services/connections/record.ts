// What D1 knows of a connection, in the form its object keeps a copy of.
import { eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, subscription } from "../../db/schema.ts";
import type { ConnectionRecord } from "../../protocol/connection.ts";
import { isActive, type Subscription } from "../subscriptions/subscription.ts";

export type ConnectionRow = typeof connection.$inferSelect;

export function recordOf(row: ConnectionRow, held: Subscription | null): ConnectionRecord {
  return {
    id: row.id,
    uuid: row.uuid,
    owner_id: row.ownerId,
    name: row.name,
    kind: row.kind,
    subscription_active: isActive(held),
    subscription_status: held?.status ?? null,
    subscription_period_end: held === null || held.currentPeriodEnd === null ? null : new Date(held.currentPeriodEnd).toISOString(),
  };
}

/** The record of a connection, removed ones included; null when there never was one of this UUID. */
export async function readRecord(binding: D1Database, uuid: string): Promise<ConnectionRecord | null> {
  const rows = await databaseOf(binding)
    .select({ connection, subscription })
    .from(connection)
    .leftJoin(subscription, eq(subscription.userId, connection.ownerId))
    .where(eq(connection.uuid, uuid))
    .limit(1);
  return rows[0] === undefined ? null : recordOf(rows[0].connection, rows[0].subscription);
}
