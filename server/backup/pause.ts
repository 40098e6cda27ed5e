// Briefly stops all processes of a running gateway, so that the state of all its databases is read at the same moment.
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { HELD_BY_SERVER } from "../data-folder.ts";
import { runningGroups } from "../directory-holder.ts";
import { isGroupStopped, killGroup } from "../processes/process-table.ts";

/** The gateway resumes after this time, even if this process hangs. */
const LONGEST_SECONDS = 10;
const STOPPED_WITHIN_MS = 5_000;
const ATTEMPTS = 5;
const BETWEEN_ATTEMPTS_MS = 200;

/** `read` is called again if it returns null. Its result goes to `discard` if one of the gateway's processes ran during `read`. */
type Reading<T> = { read: () => T | null; discard: (read: T) => void };

/** Calls `read` while all of the gateway's processes are stopped, as if the power had failed. Throws if no attempt succeeds. */
export async function whilePaused<T>(dataFolder: string, { read, discard }: Reading<T>): Promise<{ result: T; pausedMs: number }> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (attempt > 1) await pause(BETWEEN_ATTEMPTS_MS);
    const groups = runningGroups(dataFolder, HELD_BY_SERVER) ?? [];
    const guards = groups.map(continueLater);
    const startedAt = performance.now();
    const pausedMs = () => (groups.length === 0 ? 0 : Math.round(performance.now() - startedAt));
    try {
      for (const group of groups) killGroup(group, "SIGSTOP");
      if (!(await allStopped(groups))) continue;
      const result = read();
      // If the processes have changed, one ran during the pause, so `read` may have seen the databases at different moments.
      const now = runningGroups(dataFolder, HELD_BY_SERVER) ?? [];
      const stayed = now.join() === groups.join() && groups.every(isGroupStopped);
      if (result !== null && stayed) return { result, pausedMs: pausedMs() };
      if (result !== null) discard(result);
    } finally {
      for (const group of groups) killGroup(group, "SIGCONT");
      for (const guard of guards) killGroup(guard.pid ?? 0, "SIGKILL");
    }
  }
  throw new Error(`the gateway's processes could not be paused at one moment, after ${ATTEMPTS} attempts`);
}

async function allStopped(groups: readonly number[]): Promise<boolean> {
  const deadline = performance.now() + STOPPED_WITHIN_MS;
  while (!groups.every(isGroupStopped)) {
    if (performance.now() > deadline) return false;
    await pause(1);
  }
  return true;
}

/** Starts a process that continues the stopped gateway even if this process is killed. */
function continueLater(group: number): ChildProcess {
  const script = `sleep ${LONGEST_SECONDS}; kill -s CONT -- -${group}`;
  const guard = spawn("/bin/sh", ["-c", script], { detached: true, stdio: "ignore" });
  guard.on("error", () => undefined);
  guard.unref();
  return guard;
}
