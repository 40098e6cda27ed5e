// The local test network in its own process, as the sandbox runs it.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "../eventually.ts";
import type { Whereabouts } from "./baileys-client.ts";
import { NETWORK_MODE } from "./network-mode.ts";

const MODE = NETWORK_MODE.strict ? [] : ["--lenient-network"];
const MAIN = fileURLToPath(new URL("../../../test-network/main.ts", import.meta.url));

type Ready = {
  ws_url: string;
  media_host: string;
  control_url: string;
  graph_url: string;
  root_public_key: string;
  ca_pem: string;
  pid: number;
};

export type NetworkProcess = {
  ready(): Ready;
  whereabouts(): Whereabouts;
  /** Everything printed so far to stdout and stderr. */
  output(): string;
  start(): Promise<void>;
  /** `kill -9`. */
  kill(): Promise<void>;
  /** Sends SIGTERM and resolves to the exit code. */
  stop(): Promise<number | null>;
  /** Makes a control API call; throws unless the response is 2xx. */
  call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>;
  dispose(): Promise<void>;
};

export function networkProcess(): NetworkProcess {
  const state = mkdtempSync(join(tmpdir(), "test-network-"));
  let child: ChildProcess | undefined;
  let ready: Ready | undefined;
  let printed = "";

  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const gone = once(child, "exit");
    child.kill(signal);
    const [code] = (await gone) as [number | null];
    return code;
  };

  const network: NetworkProcess = {
    ready() {
      if (!ready) throw new Error("the network has not been started");
      return ready;
    },
    whereabouts: () => ({
      wsUrl: network.ready().ws_url,
      rootPublicKey: network.ready().root_public_key,
      caPem: network.ready().ca_pem,
      mediaHost: network.ready().media_host,
    }),
    output: () => printed,
    async start() {
      const started = printed.length;
      // Reuses the previous control port, like the other ports, so that an open page reconnects.
      const controlPort = ready === undefined ? "0" : new URL(ready.control_url).port;
      child = spawn(process.execPath, [MAIN, "--state", state, "--control-port", controlPort, ...MODE], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => void (printed += chunk.toString()));
      const line = await eventually("the network is ready", 60_000, () => {
        if (child?.exitCode !== null) throw new Error(`the network ended: ${printed.slice(started)}`);
        return /^\{.*\}$/m.exec(printed.slice(started))?.[0];
      });
      ready = JSON.parse(line) as Ready;
    },
    kill: async () => void (await end("SIGKILL")),
    stop: () => end("SIGTERM"),
    async call<T>(method: string, path: string, body?: unknown) {
      const init =
        body === undefined ? { method } : { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      const response = await fetch(`${network.ready().control_url}${path}`, init);
      const answer: unknown = await response.json();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
      return answer as T;
    },
    async dispose() {
      await end("SIGKILL");
      rmSync(state, { recursive: true, force: true });
    },
  };
  return network;
}
