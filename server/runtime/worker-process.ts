// The worker's process: migrates D1, runs workerd, and calls the worker's scheduled handler.
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { startCrons } from "./crons.ts";
import { firstAdminLink } from "./first-admin.ts";
import { hostDatabase } from "./host-database.ts";
import { applyMigrations, type MigrationFile } from "./migrate.ts";
import { preparedWorker, WORKERS } from "./prepared-worker.ts";
import { runtimeOptions } from "./runtime-options.ts";
import { ADMIN_LINK, WORKER_READY, type WorkerHostSettings } from "./worker-settings.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
// Plain JavaScript, because wrangler runs it too.
const BUILD_ASSETS = new URL("../../tools/build-assets.mjs", import.meta.url).href;
const WATCH_INTERVAL_MS = 500;

async function host(settings: WorkerHostSettings): Promise<void> {
  const { buildAssets } = (await import(BUILD_ASSETS)) as { buildAssets: () => Promise<void> };
  // Builds the assets first, because wrangler checks that their folder exists.
  await buildAssets();
  const served = settings.vars["MOVE_SECRET"] === undefined ? WORKERS.production : WORKERS.moving;
  const prepared = await preparedWorker(settings.server === null ? WORKERS.sandbox : served);
  const runtime = new Miniflare(convertV4MiniflareOptions(runtimeOptions(settings, prepared)));
  const crons = { stop: () => undefined as void };
  process.on("SIGTERM", () => {
    crons.stop();
    void runtime.dispose().finally(() => process.exit(0));
  });
  await runtime.ready;
  const database = hostDatabase(runtime);
  await applyMigrations(database, migrationFiles());
  watch(settings.port);
  if (settings.server !== null) {
    const link = await firstAdminLink(database, settings.server, Date.now());
    if (link !== null) process.stdout.write(`${ADMIN_LINK}${link}\n`);
    crons.stop = startCrons(runtime, (prepared.options.cronTriggers ?? []) as string[]);
  }
  process.stdout.write(`${WORKER_READY}\n`);
}

function migrationFiles(): MigrationFile[] {
  const directory = join(ROOT, "migrations");
  const names = readdirSync(directory).filter((file) => file.endsWith(".sql"));
  return names.toSorted().map((name) => ({ name, sql: readFileSync(join(directory, name), "utf8") }));
}

/** If workerd dies, this process ends too, so that both get restarted. */
function watch(port: number): void {
  setInterval(() => {
    const probe = connect(port, "127.0.0.1");
    probe.on("connect", () => probe.destroy());
    probe.on("error", () => process.exit(1));
  }, WATCH_INTERVAL_MS);
}

await host(JSON.parse(process.env["WORKER_HOST"] ?? "{}") as WorkerHostSettings).catch((error: unknown) => {
  process.stderr.write(`worker: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
