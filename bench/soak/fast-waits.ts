// Loaded before the bridge: its waits of a minute or longer pass as many times faster as SOAK_FACTOR says. Shorter ones are about what the
// machine really does (handshakes, queries, pings) and stay as they are, and so does the clock.
import { syncBuiltinESMExports } from "node:module";
import promises from "node:timers/promises";

const LONG_MS = 60_000;
const factor = Number(process.env["SOAK_FACTOR"] ?? 1);

const faster = (ms?: number): number | undefined => (ms !== undefined && ms >= LONG_MS ? ms / factor : ms);

const { setTimeout: timeout, setInterval: interval } = globalThis;
const { setTimeout: pause } = promises;
globalThis.setTimeout = Object.assign(
  (work: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => timeout(work, faster(ms), ...args),
  timeout,
) as typeof timeout;
globalThis.setInterval = Object.assign(
  (work: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => interval(work, faster(ms), ...args),
  interval,
) as typeof interval;
promises.setTimeout = ((ms, value, options) => pause(faster(ms), value, options)) as typeof pause;
syncBuiltinESMExports();
