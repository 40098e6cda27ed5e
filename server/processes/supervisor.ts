// Runs one host's processes, writes their logs, and restarts each process that dies.
import type { Logs } from "./logs.ts";
import { SupervisedProcess } from "./supervised-process.ts";

/** Startup fails if processes end this many times before all of them have run once. */
const MAX_FAILED_STARTS = 3;

export type Part = {
  name: string;
  args: readonly string[];
  env: () => Record<string, string>;
  /** True if the line is a message to the host, which is not logged. */
  isForUs?: (line: string) => boolean;
};

export type Supervisor = {
  supervise: (part: Part) => SupervisedProcess;
  /** Rejects if a process ends repeatedly during startup. */
  startFailed: Promise<never>;
  /** Marks the startup as complete. From then on, processes may end any number of times. */
  started: () => void;
};

type Options = {
  logs: Logs;
  print: (text: string) => void;
  /** Called with the process groups after each start. */
  onChange: (groups: readonly number[]) => void;
  stopTimeoutMs: number;
};

export function createSupervisor({ logs, print, onChange, stopTimeoutMs }: Options): Supervisor {
  const groups = new Map<string, number>();
  const startFailure = Promise.withResolvers<never>();
  let started = false;
  return {
    startFailed: startFailure.promise,
    started: () => void (started = true),
    supervise({ name, args, env, isForUs = () => false }) {
      let ends = 0;
      let printedProblem = "";
      const ended = (why: readonly string[]) => {
        ends += 1;
        if (!started && ends >= MAX_FAILED_STARTS) startFailure.reject(new Error(why.join("\n  ")));
      };
      return new SupervisedProcess({
        name,
        args,
        env,
        stopTimeoutMs,
        onLine: (line) => isForUs(line) || logs.printed(name, line),
        onStart(pid) {
          printedProblem = "";
          groups.set(name, pid);
          onChange([...groups.values()]);
        },
        onUnexpectedExit(pid, how) {
          logs.event("process.ended", { part: name, pid, how });
          print(`${name} (process ${pid}) ended: ${how}; starting it again`);
          ended([`the ${name} exits right after its start`, ...logs.lastProblems(name)]);
        },
        onFailedStart(problem) {
          logs.event("process.not_started", { level: "error", part: name, problem });
          if (problem !== printedProblem) print(`${name} cannot be started: ${problem}; trying again`);
          printedProblem = problem;
          ended([`the ${name} cannot be started`, problem]);
        },
      });
    },
  };
}

/** Prefix of the local runtime's diagnostics, which are meant for its developers. */
export const RUNTIME_NOTE_PREFIX = "NOSENTRY ";

export const QUIET_WRANGLER = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  X_LOCAL_OBSERVABILITY: "false",
  X_LOCAL_EXPLORER: "false",
};

// A slow start is reported, not treated as a failure.
const REPORT_INTERVAL_MS = 15_000;
const LIMIT_MS = 600_000;

/** Prints a line every 15 seconds while the promise is pending, and rejects after 10 minutes. */
export async function waitingFor<T>(what: string, print: (text: string) => void, promise: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const limit = Promise.withResolvers<never>();
  const timer = setInterval(() => {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs >= LIMIT_MS) limit.reject(new Error(`${what} did not come within ${LIMIT_MS / 60_000} minutes`));
    else print(`still starting: waiting for ${what} (${Math.round(waitedMs / 1_000)} s)`);
  }, REPORT_INTERVAL_MS);
  return Promise.race([promise, limit.promise]).finally(() => clearInterval(timer));
}
