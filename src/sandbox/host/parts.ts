// The sandbox's processes: worker, bridge, test network. Each is started again when it dies.
import { fileURLToPath } from "node:url";
import type { Flags } from "./flags.ts";
import { callJson, until } from "./http.ts";
import { freePort } from "./ports.ts";
import type { Ready } from "./ready.ts";
import type { StateDirectory } from "./state-directory.ts";
import { SupervisedProcess } from "./supervised-process.ts";
import { WORKER_READY } from "./worker-ready.ts";
import type { WorkerHostSettings } from "./worker-host.ts";

const BRIDGE = fileURLToPath(new URL("../../../session-bridge/main.ts", import.meta.url));
const TEST_NETWORK = fileURLToPath(new URL("../../../test-network/main.ts", import.meta.url));
const START_WITHIN_MS = 30_000;
/** One bridge is all there is here: a session too many would wait for a place for ever. */
const BRIDGE_CAPACITY = 1_000;

/** The local runtime's notes to its own makers, such as that an alarm was moved before it rang. */
const RUNTIME_NOTE = "NOSENTRY ";

/** What the test network prints when it is ready; kept, since a restarted bridge needs it again. */
type NetworkAddress = { ws_url: string; control_url: string; root_public_key: string; ca_pem: string };

export type Parts = {
  appUrl: string;
  networkUrl: string | null;
  /** Resolves when every part answers. */
  answering(): Promise<void>;
  pids(): Ready["processes"];
  stop(): Promise<void>;
};

type Setting = {
  flags: Flags;
  directory: StateDirectory;
  port: number;
  networkPort: number;
  say: (text: string) => void;
  /** A part was started (again): pids have changed. */
  onChange: () => void;
};

export function startParts({ flags, directory, port, networkPort, say, onChange }: Setting): Parts {
  const appUrl = `http://127.0.0.1:${port}`;
  const started = (name: string, args: readonly string[], env: Record<string, string>, onLine: (line: string) => void) =>
    new SupervisedProcess({
      name,
      args,
      env,
      onLine,
      onStart: onChange,
      onDeath: (pid, how) => say(`${name} (process ${pid}) ended: ${how}; starting it again`),
    });

  const workerReady = Promise.withResolvers<void>();
  const worker = started(
    "worker",
    [fileURLToPath(new URL("worker-process.ts", import.meta.url))],
    { ...QUIET_WRANGLER, SANDBOX_WORKER: JSON.stringify(workerSettings(flags, directory, port, appUrl)) },
    (line) => {
      if (line === WORKER_READY) workerReady.resolve();
      else if (!line.startsWith(RUNTIME_NOTE)) say(line);
    },
  );

  let network: SupervisedProcess | null = null;
  let bridge: SupervisedProcess | null = null;
  let address: NetworkAddress | null = null;
  const bridgeStarted = Promise.withResolvers<number>();

  const startBridge = async () => {
    const healthPort = (await freePort(0)) ?? 0;
    bridge = started("bridge", [BRIDGE], bridgeEnv(appUrl, directory, healthPort, address), say);
    bridgeStarted.resolve(healthPort);
  };
  if (flags.live) {
    void startBridge();
  } else {
    const args = [TEST_NETWORK, "--control-port", String(networkPort), "--state", directory.network];
    network = started("network", args, {}, (line) => {
      const read = networkAddress(line);
      if (read === null) return say(line);
      if (address === null) {
        address = read;
        void startBridge();
      }
    });
  }

  return {
    appUrl,
    networkUrl: flags.live ? null : `http://127.0.0.1:${networkPort}`,
    async answering() {
      await within("the worker", START_WITHIN_MS, workerReady.promise);
      say("the worker runs");
      const healthPort = await within("the test network", START_WITHIN_MS, bridgeStarted.promise);
      if (network !== null) say("the test network runs");
      await until("the bridge", START_WITHIN_MS, () => callJson(`http://127.0.0.1:${healthPort}/health`));
      say("the session bridge runs");
    },
    pids: () => ({ sandbox: process.pid, worker: worker.pid, bridge: bridge?.pid ?? 0, network: network?.pid ?? null }),
    async stop() {
      await bridge?.stop();
      await Promise.all([worker.stop(), network?.stop()]);
    },
  };
}

/** Wrangler's own options reader must neither phone home nor print. */
const QUIET_WRANGLER = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  X_LOCAL_OBSERVABILITY: "false",
  X_LOCAL_EXPLORER: "false",
};

function workerSettings(flags: Flags, directory: StateDirectory, port: number, appUrl: string): WorkerHostSettings {
  const { KEY_SECRET, STATE_SECRET, BRIDGE_SECRET, AUTH_SECRET } = directory.secrets;
  return {
    port,
    storage: directory.worker,
    prepared: directory.preparedWorker,
    strict: flags.strict,
    vars: {
      KEY_SECRET,
      STATE_SECRET,
      BRIDGE_SECRET,
      AUTH_SECRET,
      APP_URL: appUrl,
      BASE_URL: appUrl,
      BRIDGE_HOST: "external",
      BRIDGE_NETWORK: flags.live ? "real" : "local",
      SANDBOX_STRICT: String(flags.strict),
      SANDBOX_NO_LIMITS: String(flags.noLimits),
    },
  };
}

function bridgeEnv(appUrl: string, directory: StateDirectory, healthPort: number, network: NetworkAddress | null): Record<string, string> {
  return {
    BRIDGE_GATEWAY_URL: appUrl,
    BRIDGE_SECRET: directory.secrets.BRIDGE_SECRET,
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
        }),
  };
}

function networkAddress(line: string): NetworkAddress | null {
  if (!line.startsWith("{") || !line.includes('"ws_url"')) return null;
  return JSON.parse(line) as NetworkAddress;
}

async function within<T>(what: string, ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms / 1000} s`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
