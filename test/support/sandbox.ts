// A whole sandbox for one test file: its own ports and its own state directory.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Ready } from "../../src/sandbox/host/state-directory.ts";
import { NETWORK_MODE } from "./bridge/network-mode.ts";
import { eventually } from "./eventually.ts";

const START = fileURLToPath(new URL("../../src/sandbox/host/start.mjs", import.meta.url));

export type Sandbox = {
  /** The ready file as it is now: pids change when a part is started again. */
  ready(): Ready;
  readyFile: string;
  /** Where it keeps its state. */
  directory: string;
  /** Milliseconds from start to the ready file. */
  startedInMs: number;
  /** What the terminal showed. */
  output(): string;
  /** What its processes have logged. */
  logs(): string;
  /**
   * Ends the sandbox and leaves its state; `start` goes on where it stopped. With what code it has ended; null if by a signal. What it
   * printed has come by then.
   */
  stop(): Promise<number | null>;
  /** `kill -9` of the sandbox's own process: what it started must not stay. */
  kill(): Promise<void>;
  /** With other flags when they are given. */
  start(flags?: readonly string[]): Promise<void>;
  /** Stops, and removes the state. */
  dispose(): Promise<void>;
};

/** On two cores it starts within this (docs/use/sandbox.md, "Flags"): what is promised in seconds is promised for such a machine. */
const PROMISED_START_MS = 10_000;

/** The time that is promised, or as much more of it as this machine needed more for the start. */
export function promised(ms: number, { startedInMs }: Sandbox): number {
  return ms * Math.max(1, startedInMs / PROMISED_START_MS);
}

function stateFolder(readyFile: string): string {
  return join(dirname(readyFile), "state");
}

/** What the processes of a sandbox have logged. */
export function logsOf(readyFile: string): string {
  const folder = join(stateFolder(readyFile), "logs");
  // The part before comes first: `worker.log.1`, `worker.log`.
  const files = existsSync(folder) ? readdirSync(folder).sort().reverse() : [];
  return files.map((file) => readFileSync(join(folder, file), "utf8")).join("");
}

/** `settings`: environment variables beside those of the test run. */
export async function startSandbox(flags: readonly string[] = [], settings: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
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
        // As if by npm: it ends when the test run is killed.
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
      // SANDBOX_LOG=FILE keeps what the sandbox printed and logged, to find out why a test failed.
      const keep = process.env["SANDBOX_LOG"];
      if (keep !== undefined) writeFileSync(keep, sandbox.output() + sandbox.logs());
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  await sandbox.start();
  return sandbox;
}
