// Builds the documents into `dist/documents/<hash of the sources>`. This is plain JavaScript, because wrangler may run on an older Node.
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DIST = join(ROOT, "dist/documents");

const ABANDONED_MS = 10 * 60_000;

/** Includes the lock file, because the documents also depend on the versions of the packages. */
const SOURCES = ["src/**/*.{ts,json,mjs}", "package-lock.json"];

/** Platform modules that the documents' sources import but never use. */
const withoutPlatform = {
  name: "without-platform",
  setup(bundle) {
    bundle.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: "platform" }));
    bundle.onLoad({ filter: /./, namespace: "platform" }, () => ({ contents: "module.exports = {};", loader: "js" }));
  },
};

/** Returns the folder with one file per document. Builds the documents if they have not been built from these sources yet. */
export async function builtDocuments() {
  const finished = join(DIST, hashOfSources());
  if (existsSync(finished)) return finished;
  const unfinished = `${finished}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  for (const [name, content] of Object.entries(await documents(unfinished))) writeFileSync(join(unfinished, name), content);
  try {
    renameSync(unfinished, finished);
  } catch (error) {
    // Another process finished the same build first, so this one is discarded.
    if (!existsSync(finished)) throw error;
    rmSync(unfinished, { recursive: true });
  }
  removeOthers(finished);
  return finished;
}

function removeOthers(finished) {
  for (const folder of readdirSync(DIST).map((name) => join(DIST, name))) {
    const isUnfinished = folder.includes(".", DIST.length);
    const isInUse = isUnfinished && Date.now() - statSync(folder).mtimeMs < ABANDONED_MS;
    if (folder !== finished && !isInUse) rmSync(folder, { recursive: true, force: true });
  }
}

async function documents(folder) {
  const bundle = join(folder, "write.mjs");
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["src/docs/write.ts"],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker"],
    logLevel: "silent",
    plugins: [withoutPlatform],
  });
  const { documentFiles } = await import(pathToFileURL(bundle).href);
  rmSync(bundle);
  return documentFiles();
}

function hashOfSources() {
  const hash = createHash("sha256");
  // Excludes the broken files that lint tests temporarily create beside the sources.
  for (const file of globSync(SOURCES, { cwd: ROOT, exclude: ["**/planted-*/**", "**/planted-*"] }).sort()) {
    hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest("hex").slice(0, 16);
}
