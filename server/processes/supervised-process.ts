// Runs a process in its own group and restarts it if it dies.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { killGroup } from "./process-table.ts";

/** Backoff before each restart, so that a process that cannot start does not use up the CPU. */
const RESTART_DELAY_MS = 250;
const MAX_RESTART_DELAY_MS = 1_500;

const END_ORPHANS = fileURLToPath(new URL("end-orphans.ts", import.meta.url));
const EXIT_WITH_PARENT = fileURLToPath(new URL("exit-with-parent.mjs", import.meta.url));

export type ProcessSpec = {
  name: string;
  args: readonly string[];
  /** The process is killed if it takes longer to stop. */
  stopTimeoutMs: number;
  /** Read at each start. Errors are reported to `onFailedStart`. */
  env: () => Readonly<Record<string, string>>;
  onLine(line: string): void;
  onStart(pid: number): void;
  onUnexpectedExit(pid: number, how: string): void;
  /** Called if the settings cannot be read or the system cannot start a process. The start is retried. */
  onFailedStart(problem: string): void;
};

export class SupervisedProcess {
  readonly #spec: ProcessSpec;
  #child: ChildProcess | null = null;
  #stopping = false;
  #earlyExits = 0;

  constructor(spec: ProcessSpec) {
    this.#spec = spec;
    this.#start();
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Ends the whole process group with SIGTERM, and later with SIGKILL if necessary. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#end();
  }

  /** Ends the process group, which then starts again as after a crash. */
  restart(): void {
    void this.#end();
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    killGroup(child.pid, "SIGTERM");
    const force = setTimeout(() => killGroup(child.pid ?? 0, "SIGKILL"), this.#spec.stopTimeoutMs);
    await gone;
    clearTimeout(force);
    killGroup(child.pid, "SIGKILL");
  }

  #start(): void {
    const startedAt = Date.now();
    const failed = (error: unknown) => {
      this.#child = null;
      if (this.#stopping) return;
      this.#spec.onFailedStart(error instanceof Error ? error.message : String(error));
      this.#startAgain(startedAt);
    };
    let child: ChildProcess;
    try {
      child = spawn(process.execPath, ["--import", EXIT_WITH_PARENT, "--disable-warning=ExperimentalWarning", ...this.#spec.args], {
        env: { ...process.env, ...this.#spec.env() },
        detached: true,
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      });
    } catch (error) {
      return failed(error);
    }
    const { pid } = child;
    if (pid === undefined) return void child.on("error", failed);
    this.#child = child;
    tellOrphanEnder(`+ ${pid}`);
    this.#spec.onStart(pid);
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on("line", (line) => this.#spec.onLine(line));
    }
    child.on("exit", (code, signal) => {
      killGroup(pid, "SIGKILL");
      tellOrphanEnder(`- ${pid}`);
      if (this.#stopping) return;
      this.#spec.onUnexpectedExit(pid, signal ?? `exit ${code}`);
      this.#startAgain(startedAt);
    });
  }

  #startAgain(startedAt: number): void {
    this.#earlyExits = Date.now() - startedAt < 5_000 ? this.#earlyExits + 1 : 0;
    const delayMs = Math.min(RESTART_DELAY_MS * 2 ** Math.max(0, this.#earlyExits - 3), MAX_RESTART_DELAY_MS);
    setTimeout(() => !this.#stopping && this.#start(), delayMs);
  }
}

let orphansInput: Writable | null = null;

/** Errors are ignored, because the processes also end without this helper. */
function tellOrphanEnder(change: string): void {
  try {
    groupsToEnd().write(`${change}\n`);
  } catch {}
}

/** Returns the input of end-orphans.ts, which ends these groups if this process dies. */
function groupsToEnd(): Writable {
  if (orphansInput !== null) return orphansInput;
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", END_ORPHANS], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = (): void => {
    orphansInput = null;
  };
  // Without free file descriptors, the child has no input, and its error follows.
  child.on("error", ended);
  child.on("exit", ended);
  child.unref();
  (child.stdin as Socket).unref();
  child.stdin.on("error", () => undefined);
  orphansInput = child.stdin;
  return orphansInput;
}
