// A complete sandbox for one test file, with its own ports and state directory.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Ready } from "../../src/sandbox/host/state-directory.ts";
import { NETWORK_MODE } from "./bridge/network-mode.ts";
import { eventually } from "./eventually.ts";
import { IS_SERVED, startServedSandbox } from "./one-machine/as-sandbox.ts";

const START = fileURLToPath(new URL("../../src/sandbox/host/start.mjs", import.meta.url));

export type Sandbox = {
  /** The current ready file: process ids change when a part restarts. */
  ready(): Ready;
  readyFile: string;
  directory: string;
  /** Milliseconds from start until the ready file exists. */
  startedInMs: number;
  output(): string;
  logs(): string;
  /**
   * Ends the sandbox and keeps its state; `start` continues from there. Resolves to the exit code, or null after a signal, once all output
   * has arrived.
   */
  stop(): Promise<number | null>;
  /** `kill -9` of the sandbox's main process, whose child processes must then exit. */
  kill(): Promise<void>;
  /** Starts the sandbox again, with other flags if given. */
  start(flags?: readonly string[]): Promise<void>;
  /** Stops the sandbox and deletes its state. */
  dispose(): Promise<void>;
};

/** Start time on two cores (docs/use/sandbox.md, "Flags"). Other promised times assume such a machine. */
const PROMISED_START_MS = 10_000;

/** The promised time, scaled up if this machine started more slowly. */
export function promised(ms: number, { startedInMs }: Sandbox): number {
  return ms * Math.max(1, startedInMs / PROMISED_START_MS);
}

function stateFolder(readyFile: string): string {
  return join(dirname(readyFile), "state");
}

/** Logs of a sandbox's processes. */
export function logsOf(readyFile: string): string {
  const folder = join(stateFolder(readyFile), "logs");
  // Puts rotated logs first: `worker.log.1`, `worker.log`.
  const files = existsSync(folder) ? readdirSync(folder).sort().reverse() : [];
  return files.map((file) => readFileSync(join(folder, file), "utf8")).join("");
}

/** `settings`: environment variables added to those of the test run. */
export async function startSandbox(flags: readonly string[] = [], settings: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
  // A served gateway's limits and URL rules are always those of production, which the sandbox's flags turn on and off.
  if (IS_SERVED) return startServedSandbox(settings);
  const directory = mkdtempSync(join(tmpdir(), "gateway-"));
  const readyFile = join(directory, "ready.json");
  const lines: string[] = [];
  let child: ChildProcess;
  const sandbox: Sandbox = {
    readyFile,
    directory: stateFolder(readyFile),
    startedInMs: 0,
    ready: () => JSON.parse(readFileSync(readyFile, "utf8")) as Ready,
    output: () => lines.join(""),
    logs: () => logsOf(readyFile),
    async start(now = flags) {
      rmSync(readyFile, { force: true });
      const startedAt = performance.now();
      const mode = NETWORK_MODE.strict ? ["--strict-network"] : [];
      const args = ["--port", "0", "--network-port", "0", "--state", sandbox.directory, "--ready-file", readyFile, ...mode, ...now];
      child = spawn(process.execPath, [START, ...args], {
        stdio: ["ignore", "pipe", "pipe"],
        // Set as npm does, so that the sandbox exits if the test run is killed.
        env: { ...process.env, ...settings, npm_lifecycle_event: "start" },
      });
      child.stdout?.on("data", (chunk: Buffer) => lines.push(chunk.toString()));
      child.stderr?.on("data", (chunk: Buffer) => lines.push(chunk.toString()));
      await eventually("the sandbox is ready", 240_000, () => {
        if (child.exitCode !== null) throw new Error(`the sandbox ended (${child.exitCode}):\n${lines.join("").slice(-4_000)}`);
        return existsSync(readyFile);
      });
      sandbox.startedInMs = performance.now() - startedAt;
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const gone = once(child, "close");
        child.kill("SIGTERM");
        await gone;
      }
      return child.exitCode;
    },
    async kill() {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
    async dispose() {
      await sandbox.stop();
      // SANDBOX_LOG=FILE keeps the sandbox's output and logs for debugging failures.
      const keep = process.env["SANDBOX_LOG"];
      if (keep !== undefined) writeFileSync(keep, sandbox.output() + sandbox.logs());
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  await sandbox.start();
  return sandbox;
}
