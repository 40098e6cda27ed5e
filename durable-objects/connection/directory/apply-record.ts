// Applies D1's record of a connection to its object.
import type { ConnectionRecord } from "@gateway/protocol/connection.ts";
import type { ConnectionComponents } from "../components.ts";
import { endStreams } from "../streams/end-streams.ts";

/** Stores the record and makes its changes effective. Returns false if a newer record is stored. */
export function applyRecord(components: ConnectionComponents, record: ConnectionRecord, now: number): boolean {
  const { cloud, deliveries, identity, instance, session } = components;
  const wasSuspended = instance.state.reason === "account_suspended";
  const before = JSON.stringify(identity.sessionSettings);
  const earlier = identity.record;
  // Ignores older records, because pushes may arrive out of order.
  if (record.revision < (earlier?.revision ?? 0)) return false;
  identity.store(record);
  if (earlier !== null && JSON.stringify(identity.sessionSettings) !== before) session.pushSettings();
  // Suspends deliveries before the session ends, so that even that event is not delivered.
  if (record.owner_suspended) deliveries.suspend();
  session.step({ type: "suspension", active: record.owner_suspended }, now);
  if (earlier !== null && earlier.proxy_url !== record.proxy_url) session.step({ type: "proxy_changed" }, now);
  if (earlier !== null && losesRights(earlier, record)) endStreams(components);
  if (earlier !== null && earlier.home !== record.home) session.moveToPool(earlier.home, now);
  session.step({ type: "subscription", active: record.subscription_active }, now);
  if (wasSuspended && instance.state.reason === "manual" && record.kind === "cloud_api") cloud.upkeep.resume(now);
  if (earlier?.owner_suspended === true && !record.owner_suspended) deliveries.resume();
  return true;
}

function losesRights(before: ConnectionRecord, after: ConnectionRecord): boolean {
  return (after.owner_suspended && !before.owner_suspended) || (before.subscription_active && !after.subscription_active);
}
