// A short-lived process that reads wrangler.toml as wrangler does and bundles the worker. Loading wrangler takes a second and 130 MB.
import { build, type Plugin, stop } from "esbuild";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";
import { digestOf, type PreparedWorker, WORKERS } from "./prepared-worker.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CONFIG = "wrangler.toml";
/** Files that wrangler reads, and the lock file, which determines its version. */
const SETTINGS = [CONFIG, "package-lock.json", ".dev.vars", ".env", ".env.local"];

/** Applies `[alias]` as wrangler does: only if the import has exactly this path. */
function aliases(): Plugin {
  const { alias = {} } = unstable_readConfig({ config: join(ROOT, CONFIG) }, { hideWarnings: true });
  return {
    name: "alias",
    setup(bundle) {
      bundle.onResolve({ filter: /^[^/]/ }, ({ path }) => {
        const target = Object.hasOwn(alias, path) ? alias[path] : undefined;
        return target === undefined ? undefined : { path: join(ROOT, target) };
      });
    },
  };
}

async function buildWorker(entry: string): Promise<{ script: string; files: readonly string[] }> {
  const result = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    // Minifies as wrangler does, but stack traces of the sandbox stay readable.
    minify: entry !== WORKERS.sandbox.entry,
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser", "import"],
    external: ["cloudflare:*", "node:*"],
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [aliases()],
    logLevel: "silent",
    metafile: true,
  });
  // esbuild's process would otherwise keep running and use 150 MB.
  await stop();
  const file = result.outputFiles[0];
  if (file === undefined) throw new Error("the worker's bundle is empty");
  return { script: file.text, files: Object.keys(result.metafile.inputs) };
}

const [, , entry = "", file = ""] = process.argv;
try {
  const { script, files } = await buildWorker(entry);
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(ROOT, CONFIG), undefined, { overrides: { enableContainers: false } });
  const sources = Object.fromEntries([...SETTINGS, ...files].map((path) => [path, digestOf(join(ROOT, path))]));
  mkdirSync(dirname(file), { recursive: true });
  // The name is unique, because two sandboxes may write this file at the same time.
  const unfinished = `${file}.${process.pid}.new`;
  writeFileSync(unfinished, JSON.stringify({ script, options: workerOptions, root: ROOT, sources } satisfies PreparedWorker));
  renameSync(unfinished, file);
} catch (error) {
  process.stderr.write(`worker: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
// The process exits explicitly, because wrangler keeps handles open.
process.exit(0);
