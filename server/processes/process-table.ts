// Process information from /proc, or from `ps` where there is no /proc.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

const HAS_PROC = existsSync("/proc/self/stat");

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Ignores zombie processes, which stay in the group until their parent reads their status. */
export function isGroupAlive(group: number): boolean {
  return isAlive(-group) && stateOfAll().some((one) => one.group === group && !one.state.startsWith("Z"));
}

/** True if every thread of every process in the group is stopped (SIGSTOP takes effect on each thread separately). Needs /proc. */
export function isGroupStopped(group: number): boolean {
  const pids = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && Number(procStatOf(pid)?.[2]) === group);
  return pids.every((pid) => threadsOf(pid).every((thread) => /^[TtZX]/.test(procStatOf(`${pid}/task/${thread}`)?.[0] ?? "X")));
}

function threadsOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

export function killGroup(group: number, signal: NodeJS.Signals): void {
  if (group <= 0) return;
  try {
    // Windows has no process groups.
    process.kill(process.platform === "win32" ? group : -group, signal);
  } catch {}
}

/** Returns null if the process does not exist or cannot be read. */
export function commandLineOf(pid: number): string | null {
  const line = HAS_PROC ? readOrNull(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ") : ps("-o", "command=", "-p", String(pid));
  return line?.trim() || null;
}

export function parentOf(pid: number): number | null {
  const parent = Number(HAS_PROC ? procStatOf(String(pid))?.[1] : ps("-o", "ppid=", "-p", String(pid)));
  return Number.isInteger(parent) && parent > 0 ? parent : null;
}

function stateOfAll(): { group: number; state: string }[] {
  const rows = HAS_PROC
    ? readdirSync("/proc").flatMap((pid) => {
        const [state, , group] = (/^\d+$/.test(pid) ? procStatOf(pid) : null) ?? [];
        return [[group, state]];
      })
    : (ps("-A", "-o", "pgid=,stat=") ?? "").split("\n").map((line) => line.trim().split(/\s+/));
  return rows.map(([group, state]) => ({ group: Number(group), state: state ?? "Z" }));
}

function procStatOf(pid: string): string[] | null {
  // Splits after the closing bracket, because the name in brackets may contain anything.
  return readOrNull(`/proc/${pid}/stat`)?.split(")").at(-1)?.trim().split(" ") ?? null;
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

function ps(...args: string[]): string | null {
  const { status, stdout } = spawnSync("ps", args, { encoding: "utf8" });
  return status === 0 ? stdout : null;
}
