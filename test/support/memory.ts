// How much memory the local runtime of the worker takes.
import { readdirSync, readFileSync } from "node:fs";

const POLL_INTERVAL_MS = 20;

/** Megabytes resident in `workerd`, a child of the worker's process: its isolates, and all that simulates the platform round them. */
export function runtimeMegabytes(workerPid: number): number {
  return megabytesOf(runtimePid(workerPid));
}

/** The most that it had while `work` went on. */
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
    // It has ended meanwhile.
    return undefined;
  }
}
