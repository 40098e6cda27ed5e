// Allows one host per directory. A file in it identifies the host and its process groups.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { writeAtomically } from "./files.ts";
import { commandLineOf, isAlive, isGroupAlive, killGroup } from "./processes/process-table.ts";

/** `program` is part of the host's command line. */
export type Holdings = { file: string; program: string };

const CHECK_INTERVAL_MS = 50;
/** A host that is stopping must say so in its file within this time. */
const NOTICED_WITHIN_MS = 1_500;
/** Long enough for the slowest machines. Stopping usually takes seconds. */
const ENDED_WITHIN_MS = 300_000;
/** Time within which end-orphans.ts kills the processes that a killed host left behind. */
const ORPHANS_ENDED_WITHIN_MS = 5_000;

type Holder = {
  pid: number;
  ending: boolean;
  /** Null if the host was started without npm. */
  npm: number | null;
  groups: readonly number[];
};

export function writeHolder(path: string, { file }: Holdings, holder: Omit<Holder, "pid">): void {
  writeAtomically(join(path, file), JSON.stringify({ pid: process.pid, ...holder }));
}

export function removeHolder(path: string, { file }: Holdings): void {
  rmSync(join(path, file), { force: true });
}

/** Waits while the directory's previous host is stopping. Returns the host's process id if it keeps using the directory, otherwise null. */
export async function holderThatStays(path: string, holdings: Holdings): Promise<number | null> {
  const startedAt = performance.now();
  for (;;) {
    const holder = readHolder(join(path, holdings.file));
    if (holder === null || holder.pid === process.pid) return null;
    const waitedMs = performance.now() - startedAt;
    if (isHost(holder.pid, holdings)) {
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

/** The process groups of the directory's running host, or null if none is running. */
export function runningGroups(path: string, holdings: Holdings): readonly number[] | null {
  const holder = readHolder(join(path, holdings.file));
  return holder !== null && isHost(holder.pid, holdings) ? holder.groups.filter(isPart) : null;
}

function readHolder(file: string): Holder | null {
  try {
    if (!existsSync(file)) return null;
    const { pid = 0, ending = false, npm = null, groups = [] } = JSON.parse(readFileSync(file, "utf8")) as Partial<Holder>;
    return Number.isInteger(pid) && pid > 0 ? { pid, ending, npm, groups } : null;
  } catch {
    // The path belongs to another program or is not a directory, which the next check reports.
    return null;
  }
}

/** Checks the command too, because process ids are reused. */
function isHost(pid: number, { program }: Holdings): boolean {
  return isAlive(pid) && (commandLineOf(pid)?.includes(program) ?? process.platform === "win32");
}

/** Includes a group whose first process has ended, because a group can outlive the process that it is named after. */
function isPart(group: number): boolean {
  return commandLineOf(group)?.includes("exit-with-parent.mjs") ?? true;
}
