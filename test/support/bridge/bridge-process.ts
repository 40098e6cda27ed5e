// A real bridge in its own process, which a test can kill at any time. Its log is kept, to check that it contains no secrets.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { eventually } from "../eventually.ts";
import { COMPILE_CACHE } from "../runner/compile-cache.ts";
import type { Whereabouts } from "./baileys-client.ts";
import { BRIDGE_CREDENTIAL, type FakeGateway } from "./fake-gateway.ts";

/** Otherwise a bridge whose test runner was killed would keep dialling a port that other tests get later. */
const EXIT_WITH_PARENT = new URL("../../../server/processes/exit-with-parent.mjs", import.meta.url).href;
const STEPPED_CLOCK = new URL("./stepped-clock.ts", import.meta.url);
const STEP_TIMEOUT_MS = 120_000;
const MAIN = fileURLToPath(new URL("../../../session-bridge/main.ts", import.meta.url));

export type BridgeProcess = {
  readonly child: ChildProcess;
  /** Everything written so far to stdout and stderr. */
  output(): string;
  /** Advances the clock of a bridge started with `steppedClock` by one step or leap. Resolves once the clock has moved. */
  moveClock(by?: "step" | "leap"): Promise<void>;
  /** `kill -9`; resolves once the process has exited. */
  kill(): Promise<void>;
  /** Sends SIGTERM and resolves to the exit code. */
  terminate(): Promise<number | null>;
};

/** A module for `beforehand`: only `moveClock` advances the bridge's clock, regardless of real time (`stepped-clock.ts`). */
export function steppedClock(by: { step: number; leap?: number; from?: number; waits?: true }): string {
  const url = new URL(STEPPED_CLOCK);
  for (const [name, value] of Object.entries(by)) url.searchParams.set(name, String(value));
  return url.href;
}

export function bridgeSettings(gatewayUrl: string, where: Whereabouts): Record<string, string> {
  return {
    BRIDGE_GATEWAY_URL: gatewayUrl,
    BRIDGE_CREDENTIAL,
    BRIDGE_NETWORK: "local",
    BRIDGE_LOCAL_URL: where.wsUrl,
    BRIDGE_LOCAL_ROOT: where.rootPublicKey,
    BRIDGE_LOCAL_CA: where.caPem,
    BRIDGE_LOCAL_MEDIA_HOST: where.mediaHost,
    BRIDGE_HEALTH_PORT: "0",
    BRIDGE_HEALTH_HOST: "127.0.0.1",
  };
}

/** Starts the bridge with only these variables, PATH and Node's compile cache. `beforehand` is a module loaded before the bridge. */
export function spawnBridge(settings: Record<string, string>, beforehand?: string): BridgeProcess {
  const modules = beforehand === undefined ? [EXIT_WITH_PARENT] : [EXIT_WITH_PARENT, beforehand];
  const options = modules.flatMap((module) => ["--import", module]);
  const child = spawn(process.execPath, [...options, MAIN], {
    env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = once(child, "close");
  const output = () => Buffer.concat(chunks).toString();
  const moves = () => output().split("clock stepped").length - 1;
  return {
    child,
    output,
    // The kernel merges pending signals of the same kind, so this waits for each one.
    async moveClock(by = "step") {
      const before = moves();
      child.kill(by === "step" ? "SIGUSR2" : "SIGWINCH");
      await eventually("the bridge's clock to move", STEP_TIMEOUT_MS, () => moves() > before);
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async terminate() {
      child.kill("SIGTERM");
      await ended;
      return child.exitCode;
    },
  };
}

export function startBridgeProcess(
  gateway: FakeGateway,
  where: Whereabouts,
  beforehand?: string,
  settings: Record<string, string> = {},
): BridgeProcess {
  return spawnBridge({ ...bridgeSettings(gateway.url, where), ...settings }, beforehand);
}
