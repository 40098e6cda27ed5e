import type { Env } from "../../src/env.ts";

export type BridgeContainerStub = { keep(name: string): Promise<void> };

export function containerStub(env: Pick<Env, "BRIDGE_CONTAINER">, name: string): BridgeContainerStub {
  return env.BRIDGE_CONTAINER.getByName(name) as unknown as BridgeContainerStub;
}

const CONTAINER_NAME = /^bridge-\d+$/;

/** Sessions of one container (docs/architecture.md, "Capacity"). */
export const BRIDGE_CAPACITY = 150;

/** Containers are started at this share of their capacity, so that no session waits for one. */
const TARGET_LOAD = 0.8;

/** How many containers this many sessions need; at least one, so that the first pairing starts at once. */
export function containersNeeded(sessions: number): number {
  return Math.max(1, Math.ceil(sessions / (BRIDGE_CAPACITY * TARGET_LOAD)));
}

/** A connected bridge, and how many sessions it has been given. */
export type ConnectedBridge = { id: string; draining: boolean; sessions: number };

/**
 * The names of the containers that have to run for `sessions` in all: every connected one that has sessions or is being drained, which gives
 * them away before it ends, and as many more as are needed beside the draining ones. Bridges of other names run elsewhere.
 */
export function containersToKeep(connected: readonly ConnectedBridge[], sessions: number): string[] {
  const ours = connected.filter(({ id }) => CONTAINER_NAME.test(id));
  const draining = ours.filter((bridge) => bridge.draining).map(({ id }) => id);
  const staying = ours.filter((bridge) => !bridge.draining);
  const names = new Set(staying.filter((bridge) => bridge.sessions > 0).map(({ id }) => id));
  // One that runs already comes before one that would have to start.
  const others = [
    ...staying.map(({ id }) => id),
    ...Array.from({ length: containersNeeded(sessions) + draining.length }, (_, n) => `bridge-${n}`),
  ];
  for (const name of others) if (names.size < containersNeeded(sessions) && !draining.includes(name)) names.add(name);
  return [...names, ...draining];
}
