import { isRoutine, withMailQuota } from "@gateway/domain/fleet/alarms.ts";
import type { Rollout } from "@gateway/domain/fleet/rollout.ts";
import type { ClientVersionSetting } from "@gateway/protocol/bridge-socket.ts";
import { ownerMailsPausedSince } from "#root/src/services/identity/address-guards.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import {
  moveSession,
  allBridges,
  drainBridge as drainInItsPool,
  metricsOfBridge,
  restartBridge as restartInItsPool,
  setClientVersionOfAll,
  setShareOfAll,
  wholeFleet,
} from "#root/src/services/bridges/pools.ts";
import { type BridgeView, poolOf, type StoredRollout } from "#root/src/services/bridges/pool-stub.ts";
import { type AllInstancesFilter, type InstanceOverview, listAllInstances } from "#root/src/services/connections/list.ts";
import { settingsOfRow } from "#root/src/services/connections/record.ts";
import { isoOfMs, isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import { type Administrator, type Audited, cut } from "../audit/page.ts";

/** Lists instances, oldest first. `after` and `next` are numeric ids. */
export async function pageOfInstances(
  { c }: Administrator,
  filter: AllInstancesFilter,
  { after, limit }: { after: number; limit: number },
): Promise<{ data: ReturnType<typeof renderInstance>[]; next: number | null }> {
  const [found, bridges] = await Promise.all([listAllInstances(c.env.DB, filter, { after, limit: limit + 1 }), allBridges(c.env)]);
  const memory = new Map(bridges.map(({ id, rss_mb }) => [id, rss_mb]));
  const { shown, last } = cut(found, limit);
  return { data: shown.map((overview) => renderInstance(overview, memory)), next: last?.connection.id ?? null };
}

function renderInstance({ connection: row, owner, state }: InstanceOverview, memory: ReadonlyMap<string, number>) {
  const { uuid, ownerId, name, kind, metadata, proxyId, createdAt, updatedAt } = row;
  const bridge = state?.bridgeId ?? null;
  return {
    id: uuid,
    user_id: ownerId,
    name,
    kind,
    status: state?.status ?? ("disconnected" as const),
    status_reason: state?.reason ?? null,
    status_changed_at: isoOfMsOrNull(state?.statusChangedAt ?? null),
    phone_number: state?.phone ?? null,
    settings: settingsOfRow(row),
    metadata,
    proxy_id: proxyId,
    created_at: isoOfMs(createdAt),
    updated_at: isoOfMs(updatedAt),
    owner,
    bridge_id: bridge,
    rss_mb: bridge === null ? null : (memory.get(bridge) ?? null),
  };
}

export async function moveInstance({ c }: Administrator, id: string, to: string | null): Promise<Outcome<Audited<{ message: string }>>> {
  const moved = await moveSession(c.env, id, to);
  if (!moved.ok) return moved;
  const { from, to: at, arrived } = moved.value;
  const message = arrived ? `The instance is on the bridge ${at}.` : `The instance is on its way to the bridge ${at}.`;
  return { ok: true, value: { value: { message }, audit: { target: id, before: { bridge_id: from }, after: { bridge_id: at } } } };
}

export async function shownBridges({ c }: Administrator): Promise<ReturnType<typeof renderBridge>[]> {
  return (await allBridges(c.env)).map(renderBridge);
}

export function shownClientVersion({ c }: Administrator): Promise<ClientVersionSetting> {
  return poolOf(c.env, null).clientVersion();
}

export async function setClientVersion({ c }: Administrator, after: ClientVersionSetting): Promise<Outcome<Audited<ClientVersionSetting>>> {
  const before = await setClientVersionOfAll(c.env, after);
  return { ok: true, value: { value: after, audit: { target: "client_version", before, after } } };
}

export async function drainBridge({ c }: Administrator, id: string, force: boolean): Promise<Outcome<Audited<object>>> {
  const drained = await drainInItsPool(c.env, id, force);
  if (!drained.ok) return drained;
  const { sessions } = drained.value;
  const audit = { target: id, before: { draining: false, sessions }, after: { draining: true, force } };
  return { ok: true, value: { value: {}, audit } };
}

export async function restartBridge({ c }: Administrator, id: string): Promise<Outcome<Audited<object>>> {
  const restarted = await restartInItsPool(c.env, id);
  if (!restarted.ok) return restarted;
  return { ok: true, value: { value: {}, audit: { target: id, before: { sessions: restarted.value.sessions }, after: null } } };
}

export function shownMetrics({ c }: Administrator, id: string): Promise<Outcome<string>> {
  return metricsOfBridge(c.env, id);
}

export async function shownFleet({ c }: Administrator) {
  const [{ sessions, away, troubles, alarms, rollout }, pausedSince] = await Promise.all([wholeFleet(c.env), ownerMailsPausedSince(c.env)]);
  return {
    sessions,
    away,
    troubles: troubles.map((trouble) => ({ ...trouble, routine: isRoutine(trouble) })),
    alarms: withMailQuota(alarms, pausedSince).map(({ kind, code, sessions: peak, raisedAt }) => {
      return { kind, code, sessions: peak, raised_at: isoOfMs(raisedAt) };
    }),
    rollout: rollout === null ? null : { ...shareOf(rollout), changed_at: isoOfMs(rollout.changedAt), rejected_for: rollout.rejectedFor },
  };
}

export async function shareBuild({ c }: Administrator, rollout: Rollout | null): Promise<Outcome<Audited<object>>> {
  const { before } = await setShareOfAll(c.env, rollout);
  const audit = {
    target: rollout?.build ?? before?.build ?? "",
    before: before === null ? null : shareOf(before),
    after: rollout === null ? null : shareOf(rollout),
  };
  return { ok: true, value: { value: {}, audit } };
}

const shareOf = ({ build, percent, connections }: Rollout | StoredRollout) => ({ build, percent, instance_ids: [...connections] });

function renderBridge({ assigned, started_at, last_seen_at, ...bridge }: BridgeView) {
  const { id, region, network, build, version, capacity, rss_mb, cpu, client_version, served_version } = bridge;
  const { draining, connected, container } = bridge;
  const load = { sessions: assigned, capacity, rss_mb, cpu };
  return {
    id,
    region,
    network,
    build,
    version,
    ...load,
    client_version,
    served_version,
    started_at: isoOfMsOrNull(started_at),
    draining,
    connected,
    container,
    last_seen_at: isoOfMs(last_seen_at),
  };
}
