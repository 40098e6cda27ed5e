// CPU time of processes, from /proc: unlike a rate, it hardly depends on the machine's load. NaN without /proc.
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** The kernel counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/** `waitedMs`: CPU time of ended children that the process has waited for, and of their children. */
export type Process = { pid: number; parent: number; startedAt: number; name: string; ms: number; waitedMs: number };

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

const LOOK_INTERVAL_MS = 500;

export type OtherWork = { share(): number; stop(): void };

/** Measures the share of the machine's CPU that processes other than this one and those it starts use. NaN without /proc. */
export function otherWork(): OtherWork {
  const own = new OwnTime(process.pid);
  const look = () => own.look(processes() ?? []);
  look();
  const [busyBefore, startedAt] = [machineMs(), performance.now()];
  const timer = setInterval(look, LOOK_INTERVAL_MS);
  return {
    share() {
      look();
      const others = machineMs() - busyBefore - own.ms();
      return Math.max(0, others) / ((performance.now() - startedAt) * availableParallelism());
    },
    stop: () => clearInterval(timer),
  };
}

type Seen = Process & { children: Seen[] };

/**
 * Sums the CPU time of a process since the first look, and of the descendants it starts later, including those that end.
 *
 * The kernel adds an ended process's time to its parent's `waitedMs` only if the parent waits for it. Miniflare exits on SIGTERM without
 * waiting for workerd, and esbuild outlives its parent too, so init gets their time. Each process therefore counts with its time at the
 * last look, and `waitedMs` counts if it is higher, because short-lived children may end between two looks.
 */
export class OwnTime {
  readonly #pid: number;
  readonly #seen = new Map<string, Seen>();
  #first: Process | null = null;
  #root: Seen | null = null;

  constructor(pid: number) {
    this.#pid = pid;
  }

  look(all: readonly Process[]): void {
    const byPid = new Map(all.map((each) => [each.pid, each]));
    for (const each of all) this.#seenOf(each, byPid);
  }

  ms(): number {
    if (this.#root === null || this.#first === null) return 0;
    return this.#root.ms - this.#first.ms + childrenMs(this.#root, this.#first.waitedMs);
  }

  /** Null unless the process is the root or a descendant. */
  #seenOf(one: Process, byPid: ReadonlyMap<number, Process>): Seen | null {
    // The kernel reuses the ids of ended processes.
    const key = `${one.pid} ${one.startedAt}`;
    const known = this.#seen.get(key);
    // Keeps the first parent, because an orphan gets another one.
    if (known !== undefined) return Object.assign(known, { ms: one.ms, waitedMs: one.waitedMs });
    const seen = { ...one, children: [] };
    if (one.pid === this.#pid) {
      this.#first = one;
      this.#root = seen;
    } else {
      const parent = byPid.get(one.parent);
      const above = parent === undefined ? null : this.#seenOf(parent, byPid);
      if (above === null) return null;
      above.children.push(seen);
    }
    this.#seen.set(key, seen);
    return seen;
  }
}

function childrenMs({ children, waitedMs }: Seen, waitedBefore = 0): number {
  return Math.max(
    waitedMs - waitedBefore,
    children.reduce((total, child) => total + child.ms + childrenMs(child), 0),
  );
}

/** Reads /proc/stat, whose fields are user, nice, system, idle, iowait, irq, softirq and steal (proc(5)). */
function machineMs(): number {
  const ticks = (textOf("/proc/stat").split("\n")[0] ?? "").split(/ +/).slice(1).map(Number);
  return [0, 1, 2, 5, 6, 7].reduce((total, at) => total + (ticks[at] ?? Number.NaN), 0) * TICK_MS;
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

/** proc(5): after the name in parentheses come the state and the parent; the twelfth to fifteenth fields are CPU times. */
function processOf(pid: number): Process | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const bothMs = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) * TICK_MS;
    return { pid, parent: Number(fields[1]), startedAt: Number(fields[19]), name, ms: bothMs(11), waitedMs: bothMs(13) };
  } catch {
    return null;
  }
}
