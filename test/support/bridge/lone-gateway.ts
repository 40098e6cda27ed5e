// Only the sandbox's worker, in its own process as under `npm start`, without limits. Bridge reports are invented (fed-bridge.ts), so
// measurements cover the gateway alone.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeBridgeCredential } from "@gateway/domain/keys/bridge-credential.ts";
import { secretsOf } from "../../domain/keys/secrets-of.ts";
import { freePort } from "#root/server/ports.ts";
import { SupervisedProcess } from "#root/server/processes/supervised-process.ts";
import { WORKER_READY, type WorkerHostSettings } from "#root/server/runtime/worker-settings.ts";

const WORKER = fileURLToPath(new URL("../../../server/runtime/worker-process.ts", import.meta.url));
const QUIET = { WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", CLOUDFLARE_CF_FETCH_ENABLED: "false" };

export type LoneGateway = {
  url: string;
  bridge: { id: string; credential: string };
  /** Process id of the worker, which contains the runtime. */
  pid(): number;
  /** `kill -9` of the worker; resolves once it listens again with the same state. */
  restart(): Promise<void>;
  dispose(): Promise<void>;
};

export async function startLoneGateway(): Promise<LoneGateway> {
  const directory = mkdtempSync(join(tmpdir(), "lone-gateway-"));
  const secret = () => randomBytes(32).toString("hex");
  const [port, bridgeSecret] = [(await freePort(0)) ?? 0, secret()];
  const url = `http://127.0.0.1:${port}`;
  const settings: WorkerHostSettings = {
    port,
    storage: join(directory, "worker"),
    strict: false,
    server: null,
    vars: {
      KEY_SECRET: secret(),
      STATE_SECRET: secret(),
      BRIDGE_SECRET: bridgeSecret,
      AUTH_SECRET: secret(),
      APP_URL: url,
      BASE_URL: url,
      BRIDGE_HOST: "external",
      BRIDGE_NETWORK: "local",
      SANDBOX_STRICT: "false",
      SANDBOX_NO_LIMITS: "true",
    },
  };
  let ready = Promise.withResolvers<void>();
  const worker = new SupervisedProcess({
    name: "worker",
    stopTimeoutMs: 1_500,
    args: [WORKER],
    env: () => ({ ...QUIET, WORKER_HOST: JSON.stringify(settings) }),
    onLine: (line) => line === WORKER_READY && ready.resolve(),
    onStart: () => undefined,
    onUnexpectedExit: () => undefined,
    onFailedStart: () => undefined,
  });
  await ready.promise;
  return {
    url,
    bridge: { id: "fed", credential: makeBridgeCredential(secretsOf(bridgeSecret), "fed") },
    pid: () => worker.pid,
    restart: () => {
      ready = Promise.withResolvers();
      process.kill(worker.pid, "SIGKILL");
      return ready.promise;
    },
    async dispose() {
      await worker.stop();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
