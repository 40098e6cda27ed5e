// CPU time of processes, from /proc: unlike a rate, it hardly depends on the machine's load. NaN without /proc.
import { readdirSync, readFileSync } from "node:fs";

/** The kernel counts in hundredths of a second. */
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
