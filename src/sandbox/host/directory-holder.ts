// Allows one sandbox per state directory. `sandbox.pid` names the sandbox and its process groups.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { writeAtomically } from "./files.ts";
import { commandLineOf, isAlive, isGroupAlive, killGroup } from "./process-table.ts";

const CHECK_INTERVAL_MS = 50;
/** A sandbox that was told to end writes a notice within this time. */
const NOTICED_WITHIN_MS = 1_500;
/** Long enough for the slowest machines; ending usually takes seconds. */
const ENDED_WITHIN_MS = 300_000;
/** Within this time, end-orphans.ts has killed the processes that a killed sandbox left behind. */
const ORPHANS_ENDED_WITHIN_MS = 5_000;

type Holder = {
  pid: number;
  ending: boolean;
  /** null: the sandbox was started without npm. */
  npm: number | null;
  groups: readonly number[];
};

const fileIn = (path: string) => join(path, "sandbox.pid");

export function writeHolder(path: string, holder: Omit<Holder, "pid">): void {
  writeAtomically(fileIn(path), JSON.stringify({ pid: process.pid, ...holder }));
}

export function removeHolder(path: string): void {
  rmSync(fileIn(path), { force: true });
}

/** Waits while the previous sandbox in the directory ends. Returns the process if it keeps using the directory, else null. */
export async function holderThatStays(path: string): Promise<number | null> {
  const startedAt = performance.now();
  for (;;) {
    const holder = readHolder(path);
    if (holder === null || holder.pid === process.pid) return null;
    const waitedMs = performance.now() - startedAt;
    if (isSandbox(holder.pid)) {
      const isEnding = holder.ending || (holder.npm !== null && !isAlive(holder.npm));
      if (waitedMs > (isEnding ? ENDED_WITHIN_MS : NOTICED_WITHIN_MS)) return holder.pid;
    } else {
      const left = holder.groups.filter((group) => isPart(group) && isGroupAlive(group));
      if (left.length === 0) return null;
      if (waitedMs > ORPHANS_ENDED_WITHIN_MS) for (const group of left) killGroup(group, "SIGKILL");
      if (waitedMs > ENDED_WITHIN_MS) return left[0] ?? null;
    }
    await pause(CHECK_INTERVAL_MS);
  }
}

function readHolder(path: string): Holder | null {
  try {
    if (!existsSync(fileIn(path))) return null;
    const stored = JSON.parse(readFileSync(fileIn(path), "utf8")) as Partial<Holder> | number;
    // An earlier release stored only the id.
    const { pid = 0, ending = false, npm = null, groups = [] } = typeof stored === "number" ? { pid: stored } : stored;
    return Number.isInteger(pid) && pid > 0 ? { pid, ending, npm, groups } : null;
  } catch {
    // The path belongs to another program or is not a directory, which the next check reports.
    return null;
  }
}

/** Checks the command too, because process ids are reused. */
function isSandbox(pid: number): boolean {
  return isAlive(pid) && (commandLineOf(pid)?.includes("sandbox/host/start.mjs") ?? process.platform === "win32");
}

/** A group whose first process has ended still counts, because a group can outlive the process that it is named after. */
function isPart(group: number): boolean {
  return commandLineOf(group)?.includes("exit-with-parent.mjs") ?? true;
}
