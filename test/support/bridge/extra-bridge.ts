// Additional session bridges for one sandbox, like bridges in other containers.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeBridgeCredential } from "@gateway/domain/keys/bridge-credential.ts";
import { freePort } from "#root/server/ports.ts";
import { secretsOf } from "../../domain/keys/secrets-of.ts";
import { eventually } from "../eventually.ts";
import type { Sandbox } from "../sandbox.ts";

const BRIDGE = fileURLToPath(new URL("../../../session-bridge/main.ts", import.meta.url));

export type LogLine = { time: string; event: string; connection?: string };

export type ExtraBridge = {
  sessions(): Promise<number>;
  log(): LogLine[];
  /** Sends SIGTERM and resolves to the exit code. */
  stop(): Promise<number | null>;
};

/** Starts a bridge with the settings of the sandbox's own bridge. */
export async function startExtraBridge(
  sandbox: Sandbox,
  name = "extra",
  changes: Readonly<Record<string, string>> = {},
): Promise<ExtraBridge> {
  const own = readFileSync(`/proc/${sandbox.ready().processes.bridge}/environ`, "utf8").split("\0");
  const settings = Object.fromEntries(
    own
      .filter((entry) => entry.startsWith("BRIDGE_"))
      .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
  );
  const secret = /^BRIDGE_SECRET="(.+)"$/m.exec(readFileSync(join(sandbox.directory, ".dev.vars"), "utf8"))?.[1] ?? "";
  const BRIDGE_CREDENTIAL = makeBridgeCredential(secretsOf(secret), name);
  const port = await freePort(0);
  const child = spawn(process.execPath, [BRIDGE], {
    env: { ...process.env, ...settings, ...changes, BRIDGE_CREDENTIAL, BRIDGE_HEALTH_PORT: String(port) },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const gone = once(child, "close");
  const health = async () => (await fetch(`http://127.0.0.1:${port}/health`)).json() as Promise<{ sessions: number }>;
  await eventually(`the bridge ${name} answers`, 180_000, () => health().catch(() => null));
  return {
    sessions: async () => (await health()).sessions,
    log: () =>
      Buffer.concat(chunks)
        .toString()
        .split("\n")
        .flatMap((line) => (line.endsWith("}") ? [JSON.parse(line) as LogLine] : [])),
    async stop() {
      child.kill("SIGTERM");
      await gone;
      return child.exitCode;
    },
  };
}
