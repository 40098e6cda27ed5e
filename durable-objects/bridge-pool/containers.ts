import type { Env } from "../../src/env.ts";

export type BridgeContainerStub = { keep(name: string): Promise<void> };

export function containerStub(env: Pick<Env, "BRIDGE_CONTAINER">, name: string): BridgeContainerStub {
  return env.BRIDGE_CONTAINER.getByName(name) as unknown as BridgeContainerStub;
}

/** Sessions of one container (docs/architecture.md, "Capacity"). */
export const BRIDGE_CAPACITY = 150;

/** Containers are started at this share of their capacity, so that no session waits for one. */
const TARGET_LOAD = 0.8;

/** How many containers this many sessions need; at least one, so that the first pairing starts at once. */
export function containersNeeded(sessions: number): number {
  return Math.max(1, Math.ceil(sessions / (BRIDGE_CAPACITY * TARGET_LOAD)));
}
