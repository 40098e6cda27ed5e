// A bridge as administrators see it.
import type { BridgeView } from "../../src/services/bridges/pool-stub.ts";
import type { Bridge } from "./bridges.ts";

export function viewOf(bridge: Bridge, assigned: number): BridgeView {
  const { id, network, capacity, sessions, rss_mb, cpu, draining, region, build, version } = bridge;
  return {
    id,
    network,
    capacity,
    assigned,
    sessions,
    rss_mb,
    cpu,
    draining,
    connected: bridge.detachedAt === null,
    started_at: bridge.startedAt,
    region,
    build,
    version,
    client_version: bridge.clientVersion,
    served_version: bridge.servedVersion,
    last_seen_at: bridge.lastSeenAt,
  };
}
