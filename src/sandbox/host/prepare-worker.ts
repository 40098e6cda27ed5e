// Entry of a short-lived process: reads wrangler.toml as wrangler does, bundles the worker, and writes both to the given file.
// Loading wrangler costs a second and 130 MB, which a restart of the worker's process saves.
import { build, stop } from "esbuild";
import { renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import type { PreparedWorker } from "./prepared-worker.ts";

const ENTRY = fileURLToPath(new URL("../worker.ts", import.meta.url));
const CONFIG = fileURLToPath(new URL("../../../wrangler.toml", import.meta.url));

// Plain JavaScript, because wrangler runs it too.
const BUILD_ASSETS = new URL("../../../tools/build-assets.mjs", import.meta.url).href;

/** The bundle's text. Throws with esbuild's own report if the code does not build. */
async function buildWorker(): Promise<string> {
  const result = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser", "import"],
    external: ["cloudflare:*", "node:*"],
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  });
  // Otherwise esbuild's service process stays alive, with 150 MB.
  await stop();
  const file = result.outputFiles[0];
  if (file === undefined) throw new Error("the worker's bundle is empty");
  return file.text;
}

const [, , file = ""] = process.argv;
try {
  const { buildAssets } = (await import(BUILD_ASSETS)) as { buildAssets: () => Promise<void> };
  const [script] = await Promise.all([buildWorker(), buildAssets()]);
  const { workerOptions } = unstable_getMiniflareWorkerOptions(CONFIG, undefined, { overrides: { enableContainers: false } });
  writeFileSync(`${file}.new`, JSON.stringify({ script, options: workerOptions } satisfies PreparedWorker));
  renameSync(`${file}.new`, file);
} catch (error) {
  process.stderr.write(`worker: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
// Wrangler keeps handles open.
process.exit(0);
