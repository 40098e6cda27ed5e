// Loaded before the bridge: divides its timers of a minute or longer by SOAK_FACTOR. Shorter timers wait for real work (handshakes,
// queries, pings) and stay unchanged, as does the clock.
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
