// Entry point for a process with many session bridges on a simulated network (simulated-network.ts). Killing it kills them all.
import pino from "pino";
import { Bridge } from "#root/session-bridge/bridge.ts";
import { type Sightings, simulatedNetwork } from "./simulated-network.ts";
import { simulatedSettings } from "./simulated-settings.ts";

/** The parent's first message. Each later one requests the report, in full or as counts. */
export type Fleet = { gatewayUrl: string; capacity: number; bridges: readonly { id: string; credential: string }[] };
export type Question = { full: boolean };
/** `opened`: number of connections; `opens`, `redials`: total events over all of them. */
export type FleetCounts = { sessions: number; opened: number; opens: number; redials: number };
/** Most recent times (Unix ms) by connection, and the total of opens. */
export type FleetReport = { opened: [string, number][]; redialled: [string, number][]; opens: number };

const opened = new Map<string, number>();
const redialled = new Map<string, number>();
const counts = { opens: 0, redials: 0 };
const seen: Sightings = {
  opened(connection) {
    counts.opens += 1;
    opened.set(connection, Date.now());
  },
  redialled(connection) {
    counts.redials += 1;
    redialled.set(connection, Date.now());
  },
};

let running: Bridge[] = [];

function start({ gatewayUrl, capacity, bridges }: Fleet): Bridge[] {
  return bridges.map(({ id, credential }) => {
    const settings = simulatedSettings({ gatewayUrl, id, credential, capacity });
    const bridge = new Bridge(settings, pino({ level: "silent" }), simulatedNetwork(seen), () => undefined);
    bridge.start();
    return bridge;
  });
}

process.on("message", (message: Fleet | Question) => {
  if ("bridges" in message) running = start(message);
  const sessions = running.reduce((sum, bridge) => sum + bridge.health().sessions, 0);
  const isFull = "full" in message && message.full;
  const report: FleetReport = { opened: [...opened], redialled: [...redialled], opens: counts.opens };
  process.send?.(isFull ? report : ({ sessions, opened: opened.size, ...counts } satisfies FleetCounts));
});
process.on("disconnect", () => process.exit(0));
