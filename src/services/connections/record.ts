// What D1 knows of a connection, in the form its object keeps a copy of.
import type { connection } from "../../db/schema.ts";
import type { ConnectionRecord } from "../../protocol/connection.ts";
import { InstanceSettings } from "../../protocol/instance-settings.ts";
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
    settings: settingsOfRow(row),
  };
}

/** What the owner set, and for the rest what holds without it. */
export function settingsOfRow({ settings }: ConnectionRow): InstanceSettings {
  return InstanceSettings.parse(settings);
}
