// Entry of a process that ends at once: reads wrangler.toml as wrangler does, bundles the worker, and leaves both in the file it is told.
// Wrangler costs a second and 130 MB to load, and a worker that was killed is to be back without either.
import { renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { buildWorker } from "./build-worker.ts";
import type { PreparedWorker } from "./prepared-worker.ts";

const CONFIG = fileURLToPath(new URL("../../../wrangler.toml", import.meta.url));

// Plain JavaScript, because wrangler runs it too.
const BUILD_ASSETS = new URL("../../docs/assets/build.mjs", import.meta.url).href;

const [, , file = ""] = process.argv;
try {
  const { buildAssets } = (await import(BUILD_ASSETS)) as { buildAssets: () => void };
  buildAssets();
  const script = await buildWorker();
  const { workerOptions } = unstable_getMiniflareWorkerOptions(CONFIG, undefined, { overrides: { enableContainers: false } });
  writeFileSync(`${file}.new`, JSON.stringify({ script, options: workerOptions } satisfies PreparedWorker));
  renameSync(`${file}.new`, file);
} catch (error) {
  process.stderr.write(`worker: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
// Wrangler keeps handles open.
process.exit(0);
