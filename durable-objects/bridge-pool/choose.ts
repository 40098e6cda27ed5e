import type { Bridge } from "./bridges.ts";

/** The bridge with the smallest share of its capacity taken, or null when none has room. `assigned` counts what it was given. */
export function leastLoaded(bridges: readonly Bridge[], assigned: (id: string) => number, network: Bridge["network"]): Bridge | null {
  const share = (bridge: Bridge) => assigned(bridge.id) / bridge.capacity;
  return bridges
    .filter((bridge) => bridge.network === network && !bridge.draining && bridge.detachedAt === null && share(bridge) < 1)
    .reduce<Bridge | null>((best, bridge) => {
      if (best === null) return bridge;
      const difference = share(bridge) - share(best) || bridge.cpu - best.cpu;
      return difference < 0 ? bridge : best;
    }, null);
}
