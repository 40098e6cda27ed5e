// A real bridge in a process of its own, to be killed at will. Its log is kept: it must not hold a secret.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Whereabouts } from "./baileys-client.ts";
import { BRIDGE_CREDENTIAL, type FakeGateway } from "./fake-gateway.ts";

const COMPILE_CACHE = fileURLToPath(new URL("../../../node_modules/.cache/compiled", import.meta.url));
const MAIN = fileURLToPath(new URL("../../../session-bridge/main.ts", import.meta.url));

export type BridgeProcess = {
  readonly child: ChildProcess;
  /** Everything it wrote so far, both streams. */
  output(): string;
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves to its exit code. */
  terminate(): Promise<number | null>;
};

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

/** Starts it with these variables alone, the path and Node's compile cache; `beforehand` is a module loaded before the bridge. */
export function spawnBridge(settings: Record<string, string>, beforehand?: string): BridgeProcess {
  const options = beforehand === undefined ? [] : ["--import", beforehand];
  const child = spawn(process.execPath, [...options, MAIN], {
    env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = once(child, "close");
  return {
    child,
    output: () => Buffer.concat(chunks).toString(),
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

export function startBridgeProcess(gateway: FakeGateway, where: Whereabouts, beforehand?: string): BridgeProcess {
  return spawnBridge(bridgeSettings(gateway.url, where), beforehand);
}
