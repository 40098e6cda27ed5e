// CPU time of the runtime under a process. Unlike a rate it says little about how busy the machine is with other things.
import { readdirSync, readFileSync } from "node:fs";

/** Linux counts in hundredths of a second. */
const TICK_US = 10_000;

/** Of all `workerd` processes that this one started, µs. */
export function runtimeCpuUs(parent: number): number {
  let ticks = 0;
  for (const entry of readdirSync("/proc")) {
    const read = /^\d+$/.test(entry) ? stat(entry) : null;
    if (read?.name === "workerd" && read.parent === parent) ticks += read.ticks;
  }
  return ticks * TICK_US;
}

function stat(pid: string): { name: string; parent: number; ticks: number } | null {
  try {
    const [, name = "", rest = ""] = /^\d+ \((.*)\) (.*)$/.exec(readFileSync(`/proc/${pid}/stat`, "utf8").trim()) ?? [];
    const fields = rest.split(" ").map(Number);
    return { name, parent: fields[1] ?? 0, ticks: (fields[11] ?? 0) + (fields[12] ?? 0) };
  } catch {
    // It has ended meanwhile.
    return null;
  }
}
