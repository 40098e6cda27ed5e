// Processor time of a process and all it started: what a call costs, whatever else the machine is doing. Linux tells; elsewhere it
// is not a number.
import { readdirSync, readFileSync } from "node:fs";

/** The kernel counts in hundredths of a second. */
const TICK_MS = 10;

type Process = { pid: number; parent: number; ms: number };

/** Of `pid` and its descendants, in ms; of those that live. */
export function processorMs(pid: number): number {
  const all = processes();
  if (all === null) return Number.NaN;
  const childrenOf = Map.groupBy(all, ({ parent }) => parent);
  const sum = (one: Process): number => one.ms + (childrenOf.get(one.pid) ?? []).reduce((total, child) => total + sum(child), 0);
  const root = all.find((each) => each.pid === pid);
  return root === undefined ? Number.NaN : sum(root);
}

/** Pids of the children of `pid`. */
export function childrenOf(pid: number): number[] {
  return (processes() ?? []).filter(({ parent }) => parent === pid).map((each) => each.pid);
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

/** proc(5): after the name in parentheses come state, parent and, twelfth and thirteenth, user and system time. */
function processOf(pid: number): Process | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { pid, parent: Number(fields[1]), ms: (Number(fields[11]) + Number(fields[12])) * TICK_MS };
  } catch {
    return null;
  }
}
