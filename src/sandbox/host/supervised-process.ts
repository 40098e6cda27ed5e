// A process of the sandbox: started in a group of its own, started again when it dies, as a container platform would.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A dead process is started again after this pause, so that one that cannot start does not spin. */
const RESTART_AFTER_MS = 250;
const SLOWEST_RESTART_MS = 1_500;
const STOP_WITHIN_MS = 4_000;

const dieWithParent = fileURLToPath(new URL("die-with-parent.mjs", import.meta.url));

export type ProcessSpec = {
  name: string;
  /** Path of the module to run, then its arguments. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Called for each line of standard output and error. */
  onLine(line: string): void;
  onStart(pid: number): void;
  /** Called when it ended without being asked to. */
  onDeath(pid: number, how: string): void;
};

export class SupervisedProcess {
  readonly #spec: ProcessSpec;
  #child: ChildProcess | null = null;
  #stopping = false;
  #quickDeaths = 0;

  constructor(spec: ProcessSpec) {
    this.#spec = spec;
    this.#start();
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Ends the whole group: politely, then by force. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    killGroup(child.pid, "SIGTERM");
    const force = setTimeout(() => killGroup(child.pid ?? 0, "SIGKILL"), STOP_WITHIN_MS);
    await gone;
    clearTimeout(force);
    killGroup(child.pid, "SIGKILL");
  }

  #start(): void {
    const startedAt = Date.now();
    const child = spawn(process.execPath, ["--import", dieWithParent, "--disable-warning=ExperimentalWarning", ...this.#spec.args], {
      env: { ...process.env, ...this.#spec.env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    this.#child = child;
    const pid = child.pid ?? 0;
    this.#spec.onStart(pid);
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on("line", (line) => this.#spec.onLine(line));
    }
    child.on("exit", (code, signal) => {
      // What it started (workerd, for the worker's host) must not keep the port.
      killGroup(pid, "SIGKILL");
      if (this.#stopping) return;
      this.#spec.onDeath(pid, signal ?? `exit ${code}`);
      this.#quickDeaths = Date.now() - startedAt < 5_000 ? this.#quickDeaths + 1 : 0;
      setTimeout(
        () => !this.#stopping && this.#start(),
        Math.min(RESTART_AFTER_MS * 2 ** Math.max(0, this.#quickDeaths - 3), SLOWEST_RESTART_MS),
      );
    });
  }
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 0) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}
