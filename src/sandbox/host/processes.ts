// The worker, the bridge and the test network. Each one is restarted if it dies.
import { fileURLToPath } from "node:url";
import { bridgeCredential } from "#root/server/secrets-file.ts";
import { portPerStart } from "#root/server/ports.ts";
import type { Logs } from "#root/server/processes/logs.ts";
import type { SupervisedProcess } from "#root/server/processes/supervised-process.ts";
import { createSupervisor, QUIET_WRANGLER, RUNTIME_NOTE_PREFIX, waitingFor } from "#root/server/processes/supervisor.ts";
import { WORKER_READY, type WorkerHostSettings } from "#root/server/runtime/worker-settings.ts";
import type { Flags } from "./flags.ts";
import { callJson, until } from "./http.ts";
import type { Ready, StateDirectory } from "./state-directory.ts";

const BRIDGE = fileURLToPath(new URL("../../../session-bridge/main.ts", import.meta.url));
const WORKER = fileURLToPath(new URL("../../../server/runtime/worker-process.ts", import.meta.url));
const TEST_NETWORK = fileURLToPath(new URL("../../../test-network/main.ts", import.meta.url));
/** Processes stop one after the other, and the sandbox must end within 5 s. */
const STOP_TIMEOUT_MS = 1_500;
/** The capacity is high, because there is only one bridge, and sessions beyond its capacity would wait forever. */
const BRIDGE_CAPACITY = 1_000;

/** Stored, because the bridge needs it when it restarts. */
type NetworkAddress = { ws_url: string; media_host: string; control_url: string; root_public_key: string; ca_pem: string };

export type Processes = {
  appUrl: string;
  networkUrl: string | null;
  graphUrl: string | null;
  ready(): Promise<void>;
  /** Rejects if a process keeps dying during startup. */
  startFailed: Promise<never>;
  /** Call it once all processes have started. After that, a process may end any number of times. */
  started(): void;
  pids(): Ready["processes"];
  stop(): Promise<void>;
};

type ProcessOptions = {
  flags: Flags;
  directory: StateDirectory;
  port: number;
  networkPort: number;
  graphPort: number | null;
  logs: Logs;
  print: (text: string) => void;
  onChange: (groups: readonly number[]) => void;
};

export function startProcesses({ flags, directory, port, networkPort, graphPort, logs, print, onChange }: ProcessOptions): Processes {
  const appUrl = `http://127.0.0.1:${port}`;
  const graphUrl = graphPort === null ? null : `http://127.0.0.1:${graphPort}`;
  const { supervise, startFailed, started } = createSupervisor({ logs, print, onChange, stopTimeoutMs: STOP_TIMEOUT_MS });

  const workerReady = Promise.withResolvers<void>();
  const worker = supervise({
    name: "worker",
    args: [WORKER],
    env: () => ({ ...QUIET_WRANGLER, WORKER_HOST: JSON.stringify(workerSettings(flags, directory, port, { appUrl, graphUrl })) }),
    isForUs(line) {
      if (line === WORKER_READY) workerReady.resolve();
      return line === WORKER_READY || line.startsWith(RUNTIME_NOTE_PREFIX);
    },
  });

  let network: SupervisedProcess | null = null;
  let bridge: SupervisedProcess | null = null;
  let address: NetworkAddress | null = null;
  let healthPort = 0;
  const bridgeStarted = Promise.withResolvers<void>();
  let stopping = false;

  const startBridge = async () => {
    const nextPort = await portPerStart();
    if (stopping) return;
    bridge = supervise({ name: "bridge", args: [BRIDGE], env: () => bridgeEnv(appUrl, directory, (healthPort = nextPort()), address) });
    bridgeStarted.resolve();
  };
  if (flags.live) {
    void startBridge();
  } else {
    const mode = flags.strictNetwork ? [] : ["--lenient-network"];
    const ports = ["--control-port", String(networkPort), "--graph-port", String(graphPort)];
    const args = [TEST_NETWORK, ...ports, "--state", directory.network, ...mode];
    network = supervise({
      name: "network",
      args,
      env: () => ({}),
      isForUs(line) {
        const read = networkAddress(line);
        if (read !== null && address === null) {
          address = read;
          void startBridge();
        }
        return read !== null;
      },
    });
  }

  return {
    appUrl,
    networkUrl: flags.live ? null : `http://127.0.0.1:${networkPort}`,
    graphUrl,
    async ready() {
      await waitingFor("the worker", print, workerReady.promise);
      print("the worker runs");
      await waitingFor("the test network", print, bridgeStarted.promise);
      if (network !== null) print("the test network runs");
      const health = until(() => callJson(`http://127.0.0.1:${healthPort}/health`));
      await waitingFor("the session bridge", print, health);
      print("the session bridge runs");
    },
    startFailed,
    started,
    pids: () => ({ sandbox: process.pid, worker: worker.pid, bridge: bridge?.pid ?? 0, network: network?.pid ?? null }),
    async stop() {
      stopping = true;
      await bridge?.stop();
      await Promise.all([worker.stop(), network?.stop()]);
    },
  };
}

function workerSettings(
  flags: Flags,
  directory: StateDirectory,
  port: number,
  { appUrl, graphUrl }: { appUrl: string; graphUrl: string | null },
): WorkerHostSettings {
  const { KEY_SECRET, STATE_SECRET, BRIDGE_SECRET, AUTH_SECRET } = directory.secrets();
  return {
    port,
    storage: directory.worker,
    strict: flags.strict,
    server: null,
    vars: {
      KEY_SECRET,
      STATE_SECRET,
      BRIDGE_SECRET,
      AUTH_SECRET,
      APP_URL: appUrl,
      BASE_URL: appUrl,
      BRIDGE_HOST: "external",
      BRIDGE_NETWORK: flags.live ? "real" : "local",
      ...(graphUrl !== null && { GRAPH_URL: graphUrl }),
      ...inheritedVariables(),
      PASSKEY_CEREMONY: process.env["PASSKEY_CEREMONY"] ?? "off",
      LOG_SAMPLE: process.env["LOG_SAMPLE"] ?? "1",
      SANDBOX_STRICT: String(flags.strict),
      SANDBOX_NO_LIMITS: String(flags.noLimits),
      SANDBOX_PROXY_CHECK_SECONDS: String(flags.proxyCheckSeconds),
    },
  };
}

const INHERITED = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_TRACES_SAMPLER_ARG",
  "IDENTITY_ISSUER",
  "IDENTITY_AUDIENCE",
  "IDENTITY_CLIENT_ID",
  "IDENTITY_CLIENT_SECRET",
  "IDENTITY_NAME",
  "BILLING_URL",
  "SUPPORT_NAME",
  "SUPPORT_EMAIL",
  "SUPPORT_PHONE",
  "ALARM_WEBHOOK",
];

function inheritedVariables(): Record<string, string> {
  return Object.fromEntries(INHERITED.map((name) => [name, process.env[name] ?? ""]));
}

function bridgeEnv(appUrl: string, directory: StateDirectory, healthPort: number, network: NetworkAddress | null): Record<string, string> {
  return {
    BRIDGE_GATEWAY_URL: appUrl,
    BRIDGE_CREDENTIAL: bridgeCredential(directory.secrets().BRIDGE_SECRET, "sandbox"),
    BRIDGE_HEALTH_HOST: "127.0.0.1",
    BRIDGE_HEALTH_PORT: String(healthPort),
    BRIDGE_CAPACITY: String(BRIDGE_CAPACITY),
    ...(network === null
      ? { BRIDGE_NETWORK: "real" }
      : {
          BRIDGE_NETWORK: "local",
          BRIDGE_LOCAL_URL: network.ws_url,
          BRIDGE_LOCAL_ROOT: network.root_public_key,
          BRIDGE_LOCAL_CA: network.ca_pem,
          BRIDGE_LOCAL_MEDIA_HOST: network.media_host,
        }),
  };
}

function networkAddress(line: string): NetworkAddress | null {
  if (!line.startsWith("{") || !line.includes('"ws_url"')) return null;
  return JSON.parse(line) as NetworkAddress;
}
