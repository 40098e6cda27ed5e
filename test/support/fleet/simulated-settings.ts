import type { Settings } from "#root/session-bridge/settings.ts";

export type SimulatedBridge = { gatewayUrl: string; id: string; credential: string; capacity: number };

/** Settings for a bridge with a simulated network (simulated-network.ts). */
export function simulatedSettings({ gatewayUrl, id, credential, capacity }: SimulatedBridge): Settings {
  return {
    gatewayUrl: new URL(gatewayUrl),
    credential,
    pool: null,
    bridgeId: id,
    capacity,
    build: "simulated",
    version: "simulated",
    region: null,
    health: { host: "127.0.0.1", port: 0 },
    spoolBytes: 0,
    drainMs: 0,
    logLevel: "silent",
    tracing: null,
    network: { kind: "local", url: "", root: Buffer.alloc(0), ca: "", mediaHost: "" },
    clientVersion: { version: null, max: null },
  };
}
