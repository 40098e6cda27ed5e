// D1's record of a connection, in the form that its object has a copy of.
import type { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import type { ConnectionRecord } from "../../protocol/connection.ts";
import { InstanceSettings } from "../../protocol/instance-settings.ts";
import { proxyAddress } from "../proxies/address.ts";
import { findUser, type User } from "../users/user-table.ts";
import { findSubscription, isActive, type Subscription } from "../subscriptions/subscription.ts";

export type ConnectionRow = typeof connection.$inferSelect;

/** The current record. */
export async function lookUpRecord(env: Env, row: ConnectionRow): Promise<ConnectionRecord> {
  const [owner, subscription, proxy] = await Promise.all([
    findUser(env.DB, row.ownerId),
    findSubscription(env.DB, row.ownerId),
    proxyAddress(env, row.proxyId),
  ]);
  return recordOf(row, owner, subscription, proxy);
}

export function recordOf(
  row: ConnectionRow,
  owner: User | null,
  subscription: Subscription | null,
  proxy: string | null,
): ConnectionRecord {
  return {
    id: row.id,
    uuid: row.uuid,
    owner_id: row.ownerId,
    name: row.name,
    kind: row.kind,
    owner_suspended: owner?.status === "suspended",
    subscription_active: isActive(subscription),
    subscription_status: subscription?.status ?? null,
    subscription_period_end:
      subscription === null || subscription.currentPeriodEnd === null ? null : new Date(subscription.currentPeriodEnd).toISOString(),
    settings: settingsOfRow(row),
    proxy_url: proxy,
  };
}

/** The owner's settings, with defaults for the rest. */
export function settingsOfRow({ settings }: ConnectionRow): InstanceSettings {
  return InstanceSettings.parse(settings);
}
