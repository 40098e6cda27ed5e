// What D1 knows of a connection, in the form its object keeps a copy of.
import type { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import type { ConnectionRecord } from "../../protocol/connection.ts";
import { InstanceSettings } from "../../protocol/instance-settings.ts";
import { proxyAddress } from "../proxies/address.ts";
import { findSubscription, isActive, type Subscription } from "../subscriptions/subscription.ts";

export type ConnectionRow = typeof connection.$inferSelect;

/** What D1 says of it now. */
export async function lookUpRecord(env: Env, row: ConnectionRow): Promise<ConnectionRecord> {
  const [held, proxy] = await Promise.all([findSubscription(env.DB, row.ownerId), proxyAddress(env, row.proxyId)]);
  return recordOf(row, held, proxy);
}

function recordOf(row: ConnectionRow, held: Subscription | null, proxy: string | null): ConnectionRecord {
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
    proxy_url: proxy,
  };
}

/** What the owner set, and for the rest what holds without it. */
export function settingsOfRow({ settings }: ConnectionRow): InstanceSettings {
  return InstanceSettings.parse(settings);
}
