// The worker and the session bridges of one machine.
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { DataFolder } from "./data-folder.ts";
import { freePort, portPerStart } from "./ports.ts";
import type { SupervisedProcess } from "./processes/supervised-process.ts";
import { QUIET_WRANGLER, RUNTIME_NOTE_PREFIX, type Supervisor, waitingFor } from "./processes/supervisor.ts";
import { ADMIN_LINK, WORKER_READY, type WorkerHostSettings } from "./runtime/worker-settings.ts";
import { bridgeCredential } from "./secrets-file.ts";
import type { ServeSettings } from "./settings.ts";

const WORKER = fileURLToPath(new URL("runtime/worker-process.ts", import.meta.url));
const BRIDGE = fileURLToPath(new URL("../session-bridge/main.ts", import.meta.url));

export type ServedProcesses = {
  port: number;
  /** Proves that a request to the worker comes from the front. */
  frontSecret: string;
  ready(): Promise<void>;
  pids(): { worker: number; bridges: number[] };
  restartWorker(): void;
  stop(): Promise<void>;
};

type Options = {
  settings: ServeSettings;
  folder: DataFolder;
  supervisor: Supervisor;
  print: (text: string) => void;
  onAdminLink: (link: string) => void;
};

export async function startServedProcesses({ settings, folder, supervisor, print, onAdminLink }: Options): Promise<ServedProcesses> {
  const port = (await freePort(0)) ?? 0;
  const frontSecret = randomBytes(24).toString("base64url");
  const workerReady = Promise.withResolvers<void>();
  const worker = supervisor.supervise({
    name: "worker",
    args: [WORKER],
    env: () => ({ ...QUIET_WRANGLER, WORKER_HOST: JSON.stringify(workerSettings(settings, folder, port, frontSecret)) }),
    isForUs(line) {
      if (line === WORKER_READY) workerReady.resolve();
      if (line.startsWith(ADMIN_LINK)) onAdminLink(line.slice(ADMIN_LINK.length));
      return line === WORKER_READY || line.startsWith(ADMIN_LINK) || line.startsWith(RUNTIME_NOTE_PREFIX);
    },
  });
  const bridges: SupervisedProcess[] = [];
  return {
    port,
    frontSecret,
    async ready() {
      await waitingFor("the worker", print, workerReady.promise);
      for (let number = 1; number <= settings.bridges; number++) {
        const nextPort = await portPerStart();
        const env = () => bridgeEnvironment(settings, folder, { name: `machine-${number}`, port, healthPort: nextPort() });
        bridges.push(supervisor.supervise({ name: `bridge-${number}`, args: [BRIDGE], env }));
      }
    },
    restartWorker: () => worker.restart(),
    pids: () => ({ worker: worker.pid, bridges: bridges.map(({ pid }) => pid) }),
    async stop() {
      // The bridges stop first, because they store their sessions' last changes through the worker.
      await Promise.all(bridges.map((bridge) => bridge.stop()));
      await worker.stop();
    },
  };
}

function workerSettings(settings: ServeSettings, folder: DataFolder, port: number, frontSecret: string): WorkerHostSettings {
  const { workerVars, adminEmail, appUrl, backups, moveSecret, smtpUrl, webhookHosts } = settings;
  return {
    port,
    storage: folder.storage,
    strict: true,
    vars: { ...workerVars, ...folder.secrets(), ...(moveSecret === null ? {} : { MOVE_SECRET: moveSecret }) },
    server: { smtpUrl, webhookHosts, mailFolder: folder.mail, adminEmail, appUrl, frontSecret, dataFolder: folder.path, backups },
  };
}

function bridgeEnvironment(
  { bridgeVars }: ServeSettings,
  folder: DataFolder,
  bridge: { name: string; port: number; healthPort: number },
): Record<string, string> {
  return {
    ...bridgeVars,
    BRIDGE_GATEWAY_URL: `http://127.0.0.1:${bridge.port}`,
    BRIDGE_CREDENTIAL: bridgeCredential(folder.secrets().BRIDGE_SECRET, bridge.name),
    BRIDGE_HEALTH_HOST: "127.0.0.1",
    BRIDGE_HEALTH_PORT: String(bridge.healthPort),
  };
}
