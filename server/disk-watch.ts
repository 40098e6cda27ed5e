// Warns the operator in the log, before calls begin to fail, that the data folder's disk is filling up or cannot be written.
import { closeSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { lowMark, megabytes, type Space, spaceOf } from "./backup/space.ts";
import type { Logs } from "./processes/logs.ts";

const FULL_BYTES = 5_000_000;

export type DiskState = Space & { writable: boolean };
type Problem = "disk.read_only" | "disk.full" | "disk.low";

export function diskProblem({ free, size, writable }: DiskState): Problem | null {
  if (!writable) return "disk.read_only";
  if (free < FULL_BYTES) return "disk.full";
  return free < lowMark(size) ? "disk.low" : null;
}

/** Minimum time between two checks by health requests, because anyone can send them. */
const CHECKED_MS = 1_000;

/** Problems that keep the gateway from storing anything. */
const FAULTS: Partial<Record<Problem, string>> = { "disk.full": "the disk is full", "disk.read_only": "the file system is read-only" };

export type DiskWatch = {
  fault(): string | null;
  stop(): void;
};

type DiskWatchOptions = {
  /** Called when a read-only disk can be written again. */
  onWritable?: () => void;
  read?: (folder: string) => DiskState;
};

/** Logs a problem when it begins, once an hour while it lasts, and when it ends. */
export function startDiskWatch(folder: string, logs: Logs, { onWritable, read = readDisk }: DiskWatchOptions = {}): DiskWatch {
  let known: Problem | null = null;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const check = () => {
    const state = read(folder);
    const problem = diskProblem(state);
    const now = performance.now();
    checkedAt = now;
    if (problem === known && (problem === null || now - loggedAt < HOUR_MS)) return;
    const isWritableAgain = known === "disk.read_only" && state.writable;
    known = problem;
    loggedAt = now;
    const fields = { folder, free_mb: megabytes(state.free) };
    logs.event(problem ?? "disk.recovered", { level: problem === null ? "info" : problem === "disk.low" ? "warn" : "error", ...fields });
    if (isWritableAgain) onWritable?.();
  };
  check();
  const timer = setInterval(check, MINUTE_MS);
  return {
    fault() {
      if (performance.now() - checkedAt >= CHECKED_MS) check();
      return known === null ? null : (FAULTS[known] ?? null);
    },
    stop: () => clearInterval(timer),
  };
}

export function readDisk(folder: string, open: (file: string) => number = openForWriting): DiskState {
  try {
    const { free, size } = spaceOf(folder);
    const failure = writeFailure(join(folder, "write-test"), open);
    // Bytes may still be free if the disk has no inodes left or the user's quota is used up.
    const isFull = failure === "ENOSPC" || failure === "EDQUOT";
    return { free: isFull ? 0 : free, size, writable: failure === null || isFull };
  } catch {
    // The folder is gone or the disk does not respond. The host must keep running, because it still has to report the problem.
    return { free: 0, size: 0, writable: false };
  }
}

const openForWriting = (file: string) => openSync(file, "w", 0o600);

/** Tests by writing, because `access` succeeds on a file system that became read-only after an error. Returns null or the error's code. */
function writeFailure(file: string, open: (file: string) => number): string | null {
  try {
    closeSync(open(file));
    rmSync(file);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown";
  }
}
