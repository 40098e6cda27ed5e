/** Sessions of one container (docs/architecture.md, "Capacity"). */
export const BRIDGE_CAPACITY = 150;

/** Containers are started before the last place is taken: a session waits for none. */
const FILLED = 0.8;

/** How many containers hold so many sessions; at least one, so that the first pairing starts at once. */
export function containersNeeded(sessions: number): number {
  return Math.max(1, Math.ceil(sessions / (BRIDGE_CAPACITY * FILLED)));
}
