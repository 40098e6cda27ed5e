// What sessions throw away while they are linked or connected stays resident until V8 needs the room, which it may never do: half of the
// memory of a bridge with idle sessions. So it is collected when the bridge has nothing else to do.
import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const CHECK_INTERVAL_MS = 1_000;
/** So long in a row the process has been idle. */
const IDLE_CHECKS = 3;
const IDLE_SHARE = 0.25;
/** Less is not worth a pause of a tenth of a second. */
const GROWN_BYTES = 24 * 1_048_576;
const GROWN_SHARE = 0.2;

export type Process = {
  /** Bytes that the heap has taken from the system: garbage and emptied pages included. */
  heap(): number;
  /** Share of the time since this was asked last in which something ran. */
  busy(): number;
  collect(): void;
};

/** Returns how to end it. */
export function collectWhenIdle(process: Process = thisProcess()): () => void {
  let idleChecks = 0;
  let collected = process.heap();
  const timer = setInterval(() => {
    idleChecks = process.busy() < IDLE_SHARE ? idleChecks + 1 : 0;
    const heap = process.heap();
    // V8 has given some back by itself.
    collected = Math.min(collected, heap);
    if (idleChecks < IDLE_CHECKS || heap - collected < Math.max(GROWN_BYTES, GROWN_SHARE * collected)) return;
    process.collect();
    collected = process.heap();
    idleChecks = 0;
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

export function thisProcess(): Process {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: object) => void;
  let last = performance.eventLoopUtilization();
  return {
    heap: () => process.memoryUsage().heapTotal,
    busy() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    // Only this kind gives the emptied pages back to the system: a plain one left half of them resident.
    collect: () => collect({ type: "major", execution: "sync", flavor: "last-resort" }),
  };
}
