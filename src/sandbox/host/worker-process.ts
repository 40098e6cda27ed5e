import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { MigrationFile } from "./worker-settings.ts";
import { egressService, OUTSIDE } from "./egress.ts";
import { preparedWorker } from "./prepared-worker.ts";
import { WORKER_READY, type WorkerHostSettings } from "./worker-settings.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
// Plain JavaScript, because wrangler runs it too.
const BUILD_ASSETS = new URL("../../../tools/build-assets.mjs", import.meta.url).href;
const WATCH_INTERVAL_MS = 500;

async function host(settings: WorkerHostSettings): Promise<void> {
  const { buildAssets } = (await import(BUILD_ASSETS)) as { buildAssets: () => Promise<void> };
  // Build the assets first, because wrangler checks that their folder exists.
  await buildAssets();
  const { script, options } = await preparedWorker();
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
          serviceBindings: {
            ...(options.serviceBindings as object),
            EGRESS: egressService(settings.strict),
            COLLECTOR: egressService(false),
            ISSUER: egressService(false),
            GRAPH: egressService(false),
          },
          outboundService: { name: OUTSIDE.name },
          // Lets scripts choose a client address; in production only the platform sets it.
          stripCfConnectingIp: false,
        },
        {
          ...OUTSIDE,
          // Listens on a direct socket, because on the public one each request would pass two workers that look for assets first.
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

async function migrate(port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/sandbox/migrate`, { method: "POST" });
  if (!response.ok) throw new Error(`the database could not be migrated (${response.status}): ${await response.text()}`);
}

function migrationFiles(): MigrationFile[] {
  const directory = join(ROOT, "migrations");
  const names = readdirSync(directory).filter((file) => file.endsWith(".sql"));
  return names.toSorted().map((name) => ({ name, sql: readFileSync(join(directory, name), "utf8") }));
}

/** If workerd dies, this process ends too, so that both are restarted. */
function watch(port: number): void {
  setInterval(() => {
    const probe = connect(port, "127.0.0.1");
    probe.on("connect", () => probe.destroy());
    probe.on("error", () => process.exit(1));
  }, WATCH_INTERVAL_MS);
}

await host(JSON.parse(process.env["SANDBOX_WORKER"] ?? "{}") as WorkerHostSettings).catch((error: unknown) => {
  process.stderr.write(`worker: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
