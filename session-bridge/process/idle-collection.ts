// Collects garbage while the bridge is idle. Otherwise, garbage from linking phones would make up half of an idle bridge's memory.
import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const CHECK_INTERVAL_MS = 1_000;
const IDLE_CHECKS = 3;
const IDLE_SHARE = 0.25;
/** A bridge with a few dozen messages a second counts as idle too. Collections may pause it for at most this share of the time. */
const PAUSED_SHARE = 0.001;
/** A collection pauses the bridge for 100 ms or more, which pays off only if the heap has grown by this much. */
const GROWN_BYTES = 24 * 1_048_576;
const GROWN_SHARE = 0.2;

export type Process = {
  heap(): number;
  busy(): number;
  /** Returns how long the collection paused the process, in ms. */
  collect(): number;
};

export function collectWhenIdle(process: Process = thisProcess()): () => void {
  let idleChecks = 0;
  let collected = process.heap();
  let restMs = 0;
  const timer = setInterval(() => {
    idleChecks = process.busy() < IDLE_SHARE ? idleChecks + 1 : 0;
    const heap = process.heap();
    collected = Math.min(collected, heap);
    restMs = Math.max(0, restMs - CHECK_INTERVAL_MS);
    if (restMs > 0 || idleChecks < IDLE_CHECKS || heap - collected < Math.max(GROWN_BYTES, GROWN_SHARE * collected)) return;
    restMs = process.collect() / PAUSED_SHARE;
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
    // Only a last-resort collection returns empty pages to the system. An ordinary one leaves half of them resident.
    collect() {
      const startedAt = performance.now();
      collect({ type: "major", execution: "sync", flavor: "last-resort" });
      return performance.now() - startedAt;
    },
  };
}
