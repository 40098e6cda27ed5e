// The worker's process: migrates D1, runs workerd, and calls the worker's scheduled handler.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { recordRelease } from "../data-folder.ts";
import { startCrons } from "./crons.ts";
import { firstAdminLink } from "./first-admin.ts";
import { hostDatabase } from "./host-database.ts";
import { applyMigrations, type MigrationFile } from "./migrate.ts";
import { preparedWorker, WORKERS } from "./prepared-worker.ts";
import { onRuntimeExit } from "./runtime-exit.ts";
import { HIDDEN_GATEWAY, runtimeOptions } from "./runtime-options.ts";
import { ADMIN_LINK, WORKER_READY, type WorkerHostSettings } from "./worker-settings.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUILD_ASSETS = join(ROOT, "tools/build-assets.mjs");

async function host(settings: WorkerHostSettings): Promise<void> {
  // Builds the assets first, because wrangler checks that their folder exists.
  await buildAssets();
  const served = settings.vars["MOVE_SECRET"] === undefined ? WORKERS.production : WORKERS.moving;
  const prepared = await preparedWorker(settings.server === null ? WORKERS.sandbox : served);
  if (settings.server !== null) recordOwnRelease(settings.server.dataFolder);
  let isReady = false;
  // If workerd dies, this process ends too, so that both get restarted. A failed start is reported below.
  const ignoreExit = onRuntimeExit((how) => {
    process.stdout.write(`${JSON.stringify({ event: "runtime.ended", level: "error", how })}\n`);
    if (isReady) process.exit(1);
  });
  const runtime = new Miniflare(convertV4MiniflareOptions(runtimeOptions(settings, prepared)));
  const crons = { stop: () => undefined as void };
  process.on("SIGTERM", () => {
    ignoreExit();
    crons.stop();
    void runtime.dispose().finally(() => process.exit(0));
  });
  await runtime.ready;
  isReady = true;
  const database = hostDatabase(runtime);
  await applyMigrations(database, migrationFiles());
  if (settings.server !== null) {
    const link = await firstAdminLink(database, settings.server, Date.now());
    if (link !== null) process.stdout.write(`${ADMIN_LINK}${link}\n`);
    crons.stop = startCrons(runtime, HIDDEN_GATEWAY, (prepared.options.cronTriggers ?? []) as string[]);
  }
  process.stdout.write(`${WORKER_READY}\n`);
  if (settings.server !== null) freeMemory();
}

/** Must be called after everything is built, because from then on an older release refuses the data. */
function recordOwnRelease(dataFolder: string): void {
  const before = recordRelease(dataFolder);
  if (before !== null) process.stdout.write(`${JSON.stringify({ event: "host.upgraded", from_format: before.format })}\n`);
}

/** Builds in another process, because this one would keep the memory: 60 MB, and 300 MB if the dashboard has to be built. */
async function buildAssets(): Promise<void> {
  const child = spawn(process.execPath, [BUILD_ASSETS], { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error("the dashboard could not be built");
}

/** Collects the startup garbage, about 130 MB. A process with little to do would keep it for hours. */
function freeMemory(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

function migrationFiles(): MigrationFile[] {
  const directory = join(ROOT, "migrations");
  const names = readdirSync(directory).filter((file) => file.endsWith(".sql"));
  return names.toSorted().map((name) => ({ name, sql: readFileSync(join(directory, name), "utf8") }));
}

await host(JSON.parse(process.env["WORKER_HOST"] ?? "{}") as WorkerHostSettings).catch((error: unknown) => {
  process.stderr.write(`worker: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
