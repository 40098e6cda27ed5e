import { type Region, regionOfPool } from "@gateway/domain/fleet/shards.ts";
import type { Env } from "#root/src/env.ts";
import { DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";

export type BridgeContainerStub = {
  /** `replaced` means that the container was restarted, because its bridge had not connected to the pool for minutes. */
  keep(bridge: string, pool: string, isConnected: boolean): Promise<{ replaced: boolean }>;
  restart(bridge: string, pool: string): Promise<void>;
  /** The bridge's `/metrics` page. Throws if the bridge does not respond. */
  metrics(): Promise<string>;
};

const CLASSES = {
  enam: "BRIDGE_CONTAINER_ENAM",
  wnam: "BRIDGE_CONTAINER_WNAM",
  weur: "BRIDGE_CONTAINER_WEUR",
  eeur: "BRIDGE_CONTAINER_EEUR",
  apac: "BRIDGE_CONTAINER_APAC",
  sam: "BRIDGE_CONTAINER_SAM",
} as const satisfies Record<Region, keyof Env>;

/** `bridge` is a name from `containersToKeep`. The object names of a shard's containers include the shard. */
export function containerStub(env: Env, pool: string, bridge: string): BridgeContainerStub {
  const region = regionOfPool(pool);
  const containers = env[region === null ? "BRIDGE_CONTAINER" : CLASSES[region]];
  const name = region === null ? bridge : `${pool}/${bridge.slice(prefixOf(pool).length)}`;
  return containers.getByName(name) as unknown as BridgeContainerStub;
}

/** Prefix of a pool's bridge ids, such as `sam-1-` in `sam-1-bridge-0`. The ids must be unique across pools. */
const prefixOf = (pool: string): string => (regionOfPool(pool) === null ? "" : `${pool.replace("/", "-")}-`);

const CONTAINER_NAME = /^bridge-\d+$/;

export function isContainerOf(pool: string, id: string): boolean {
  const prefix = prefixOf(pool);
  return id.startsWith(prefix) && CONTAINER_NAME.test(id.slice(prefix.length));
}

/** Sessions per container (docs/internals/architecture.md, "Capacity"). */
export const BRIDGE_CAPACITY = 150;

/** More containers are started above this load, so that no session has to wait for one to start. */
const TARGET_LOAD = 0.8;

/** Containers needed for this many sessions. There is at least one, so that the first pairing starts without a wait. */
export function containersNeeded(sessions: number): number {
  return Math.max(1, Math.ceil(sessions / (BRIDGE_CAPACITY * TARGET_LOAD)));
}

export type ConnectedBridge = { id: string; draining: boolean; sessions: number };

/** Containers that must run for `sessions` in total: those that have sessions or are draining, and as many others as needed. */
export function containersToKeep(connected: readonly ConnectedBridge[], sessions: number, pool: string = DEFAULT_POOL): string[] {
  const prefix = prefixOf(pool);
  const ours = connected.filter(({ id }) => isContainerOf(pool, id));
  const draining = ours.filter((bridge) => bridge.draining).map(({ id }) => id);
  const staying = ours.filter((bridge) => !bridge.draining);
  const names = new Set(staying.filter((bridge) => bridge.sessions > 0).map(({ id }) => id));
  const others = [
    ...staying.map(({ id }) => id),
    ...Array.from({ length: containersNeeded(sessions) + draining.length }, (_, n) => `${prefix}bridge-${n}`),
  ];
  for (const name of others) if (names.size < containersNeeded(sessions) && !draining.includes(name)) names.add(name);
  return [...names, ...draining];
}
