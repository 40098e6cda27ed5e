// The worker's own process: the bundled worker in workerd, with the bindings of wrangler.toml, on one loopback port.
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { MigrationFile } from "../migration-file.ts";
import { egressService, OUTSIDE } from "./egress.ts";
import { preparedWorker } from "./prepared-worker.ts";
import { WORKER_READY } from "./worker-ready.ts";

/** What the sandbox tells this process (JSON in `SANDBOX_WORKER`). */
export type WorkerHostSettings = {
  port: number;
  /** Directory of the local runtime's storage. */
  storage: string;
  /** File of the prepared worker; made when it is not there. */
  prepared: string;
  /** Outgoing requests of the gateway may reach public addresses only; else 127.0.0.1 too. */
  strict: boolean;
  vars: Record<string, string>;
};

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const WATCH_EVERY_MS = 500;

export async function host(settings: WorkerHostSettings): Promise<void> {
  const { script, options } = await preparedWorker(settings.prepared);
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      resourcePersistencePath: settings.storage,
      workers: [
        {
          ...options,
          name: "gateway",
          rootPath: ROOT,
          modules: [{ type: "ESModule", path: join(ROOT, "worker.js"), contents: script }],
          bindings: { ...(options.bindings as object), ...settings.vars, SANDBOX_MIGRATIONS: migrationFiles() },
          serviceBindings: { ...(options.serviceBindings as object), EGRESS: egressService(settings.strict) },
          outboundService: { name: OUTSIDE.name },
          // A script may choose its address; in production only the platform sets it.
          stripCfConnectingIp: false,
        },
        {
          ...OUTSIDE,
          // A socket of the gateway's own would lead through two workers that look for assets first, at three times the cost of
          // most answers. The gateway asks for its assets itself.
          unsafeDirectSockets: [{ host: "127.0.0.1", port: settings.port, serviceName: "gateway" }],
        },
      ],
    }),
  );
  process.on("SIGTERM", () => void runtime.dispose().finally(() => process.exit(0)));
  await runtime.ready;
  await migrate(settings.port);
  watch(settings.port);
  process.stdout.write(`${WORKER_READY}\n`);
}

/** The worker is asked to bring its database up to date: see src/sandbox/migrate.ts. */
async function migrate(port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/sandbox/migrate`, { method: "POST" });
  if (!response.ok) throw new Error(`the database could not be brought up to date (${response.status}): ${await response.text()}`);
}

function migrationFiles(): MigrationFile[] {
  const directory = join(ROOT, "migrations");
  const names = readdirSync(directory).filter((file) => file.endsWith(".sql"));
  return names.toSorted().map((name) => ({ name, sql: readFileSync(join(directory, name), "utf8") }));
}

/** workerd may be killed under this process: then this process ends too, and both are started again. */
function watch(port: number): void {
  setInterval(() => {
    const probe = connect(port, "127.0.0.1");
    probe.on("connect", () => probe.destroy());
    probe.on("error", () => process.exit(1));
  }, WATCH_EVERY_MS);
}
