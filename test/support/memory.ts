// Memory use of the worker's local runtime.
import { readdirSync, readFileSync } from "node:fs";

const POLL_INTERVAL_MS = 20;

/** Resident megabytes of `workerd`, a child of the worker's process: its isolates and the simulated platform around them. */
export function runtimeMegabytes(workerPid: number): number {
  return megabytesOf(runtimePid(workerPid));
}

/** Peak memory while `work` runs. */
export async function peakMegabytes(workerPid: number, work: () => Promise<void>): Promise<number> {
  const pid = runtimePid(workerPid);
  let peak = megabytesOf(pid);
  const watch = setInterval(() => (peak = Math.max(peak, megabytesOf(pid))), POLL_INTERVAL_MS);
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  return peak;
}

function runtimePid(parent: number): number {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const found = pids.find((pid) => statusOf(pid, "PPid") === String(parent) && statusOf(pid, "Name") === "workerd");
  if (found === undefined) throw new Error("the worker's process runs no workerd");
  return Number(found);
}

function megabytesOf(pid: number): number {
  return Math.round(Number.parseInt(statusOf(String(pid), "VmRSS") ?? "0", 10) / 1024);
}

function statusOf(pid: string, field: string): string | undefined {
  try {
    return new RegExp(`^${field}:\\s*(.+)$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  } catch {
    // The process has exited since.
    return undefined;
  }
}
