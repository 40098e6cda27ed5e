// Builds the dashboard once for each state of its sources: `dist/<hash>` is never written again, so that two who start at the same time
// do not disturb each other. Plain JavaScript: wrangler may run on an older Node.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "..");
const DIST = join(HERE, "dist");

/** Everything that the build reads, but for the packages, which the lock file names. */
const SOURCES = [
  "dashboard/{index.html,package.json,build.mjs,vite.config.ts}",
  "dashboard/{src,public}/**/*",
  "src/{dashboard-api/contract,domain,protocol}/**/*",
  "src/guides/snippets/connection/verify.*",
  "package-lock.json",
];

/** Unfinished builds older than this belong to nobody. */
const ABANDONED_MS = 10 * 60_000;

/** The folder of the built dashboard; builds it when there is none of these sources. */
export async function builtDashboard() {
  const hash = hashOfSources();
  const finished = join(DIST, hash);
  if (existsSync(finished)) return finished;
  mkdirSync(DIST, { recursive: true });
  const unfinished = join(DIST, `.${hash}.${process.pid}`);
  await build(unfinished);
  try {
    renameSync(unfinished, finished);
  } catch (error) {
    // Somebody else was faster.
    if (!existsSync(finished)) throw error;
    rmSync(unfinished, { recursive: true });
  }
  removeOthers(hash);
  return finished;
}

function hashOfSources() {
  const hash = createHash("sha256");
  for (const file of globSync(SOURCES, { cwd: ROOT }).sort()) {
    if (statSync(join(ROOT, file)).isFile()) hash.update(`${relative(".", file)}\0`).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest("hex").slice(0, 16);
}

/** In a process of its own, whose memory is gone afterwards. */
function build(outDir) {
  const vite = join(dirname(createRequire(import.meta.url).resolve("vite/package.json")), "bin/vite.js");
  const child = spawn(process.execPath, [vite, "build", "--outDir", outDir, "--emptyOutDir", "--logLevel", "warn"], {
    cwd: HERE,
    stdio: ["ignore", "ignore", "pipe"],
    // A test run says "test", for which React builds its development version.
    env: { ...process.env, NODE_ENV: "production" },
  });
  let report = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (report += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`the dashboard does not build:\n${report}`))));
  });
}

function removeOthers(hash) {
  for (const name of readdirSync(DIST)) {
    const abandoned = !name.startsWith(".") || Date.now() - statSync(join(DIST, name)).mtimeMs > ABANDONED_MS;
    if (name !== hash && abandoned) rmSync(join(DIST, name), { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${relative(ROOT, await builtDashboard())}\n`);
