// CPU time of processes, from /proc: unlike a rate, it hardly depends on the machine's load. NaN without /proc.
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** The kernel counts CPU time in hundredths of a second. */
const TICK_MS = 10;

type Process = { pid: number; parent: number; name: string; ms: number };

/** CPU time of `pid` and its living descendants, in ms. */
export function cpuMs(pid: number): number {
  const all = processes();
  if (all === null) return Number.NaN;
  const childrenOf = Map.groupBy(all, ({ parent }) => parent);
  const sum = (one: Process): number => one.ms + (childrenOf.get(one.pid) ?? []).reduce((total, child) => total + sum(child), 0);
  const root = all.find((each) => each.pid === pid);
  return root === undefined ? Number.NaN : sum(root);
}

/** CPU time of the `workerd` processes started by `parent`, in µs. */
export function workerdCpuUs(parent: number): number {
  const own = (processes() ?? []).filter((each) => each.name === "workerd" && each.parent === parent);
  return own.reduce((total, { ms }) => total + ms, 0) * 1_000;
}

export function childrenOf(pid: number): number[] {
  return (processes() ?? []).filter(({ parent }) => parent === pid).map((each) => each.pid);
}

/**
 * Measures the share of the machine's CPU that other processes use, not counting this process and its exited children. NaN without /proc.
 */
export function otherWork(): () => number {
  const [busyBefore, ownBefore, startedAt] = [machineMs(), withEndedChildrenMs(), performance.now()];
  return () => {
    const others = machineMs() - busyBefore - (withEndedChildrenMs() - ownBefore);
    return Math.max(0, others) / ((performance.now() - startedAt) * availableParallelism());
  };
}

/** Reads /proc/stat, whose fields are user, nice, system, idle, iowait, irq, softirq and steal (proc(5)). */
function machineMs(): number {
  const ticks = (textOf("/proc/stat").split("\n")[0] ?? "").split(/ +/).slice(1).map(Number);
  return [0, 1, 2, 5, 6, 7].reduce((total, at) => total + (ticks[at] ?? Number.NaN), 0) * TICK_MS;
}

function withEndedChildrenMs(): number {
  const text = textOf("/proc/self/stat");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return [11, 12, 13, 14].reduce((total, at) => total + Number(fields[at]), 0) * TICK_MS;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

function processes(): Process[] | null {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => processOf(Number(name)) ?? []);
  } catch {
    return null;
  }
}

/** proc(5): after the name in parentheses come the state, the parent and, as twelfth and thirteenth fields, user and system time. */
function processOf(pid: number): Process | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { pid, parent: Number(fields[1]), name, ms: (Number(fields[11]) + Number(fields[12])) * TICK_MS };
  } catch {
    return null;
  }
}
