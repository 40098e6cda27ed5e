import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeBridgeCredential } from "@gateway/domain/keys/bridge-credential.ts";
import { secretsOf } from "../../domain/keys/secrets-of.ts";
import type { Sandbox } from "../sandbox.ts";
import type { Fleet, FleetCounts, FleetReport, Question } from "./bridges-process.ts";

const PROCESS = fileURLToPath(new URL("bridges-process.ts", import.meta.url));

const MAX_HEAP_MB = 2_000;

export class SimulatedBridges {
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#process = child;
  }

  /** Starts `count` bridges of `capacity` sessions each, named `name-1`, `name-2`, … */
  static async start(sandbox: Sandbox, name: string, count: number, capacity: number): Promise<SimulatedBridges> {
    const secret = /^BRIDGE_SECRET="(.+)"$/m.exec(readFileSync(join(sandbox.directory, ".dev.vars"), "utf8"))?.[1] ?? "";
    const bridges = Array.from({ length: count }, (_, n) => {
      const id = `${name}-${n + 1}`;
      return { id, credential: makeBridgeCredential(secretsOf(secret), id) };
    });
    const child = fork(PROCESS, {
      execArgv: ["--disable-warning=ExperimentalWarning", `--max-old-space-size=${MAX_HEAP_MB}`],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const started = new SimulatedBridges(child);
    await started.#ask({ gatewayUrl: sandbox.ready().app_url, capacity, bridges } satisfies Fleet);
    return started;
  }

  counts(): Promise<FleetCounts> {
    return this.#ask({ full: false });
  }

  report(): Promise<FleetReport> {
    return this.#ask({ full: true });
  }

  /** Kills all bridges at once, without a shutdown. Returns the time (Unix ms). */
  async kill(): Promise<number> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return Date.now();
    const gone = once(this.#process, "exit");
    const at = Date.now();
    this.#process.kill("SIGKILL");
    await gone;
    return at;
  }

  async #ask<T extends FleetCounts | FleetReport>(message: Fleet | Question): Promise<T> {
    const over = new AbortController();
    const answer = once(this.#process, "message", { signal: over.signal });
    const gone = once(this.#process, "exit", { signal: over.signal }).then(() => Promise.reject(new Error("the bridges' process ended")));
    this.#process.send(message);
    try {
      const [report] = (await Promise.race([answer, gone])) as [T];
      return report;
    } finally {
      over.abort();
      for (const waited of [answer, gone]) waited.catch(() => undefined);
    }
  }
}
