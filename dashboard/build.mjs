// Builds the dashboard and the simulated phones into `dist/<hash of the sources>`. Plain JavaScript, because wrangler may run on old Node.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "..");

/** Sources that both builds read. The lock file represents the installed packages. */
const SHARED = ["dashboard/{package.json,build.mjs}", "dashboard/{src,public}/**/*", "package-lock.json"];

const DASHBOARD = {
  config: "vite.config.ts",
  dist: join(HERE, "dist"),
  sources: [
    ...SHARED,
    "dashboard/{index.html,vite.config.ts}",
    "src/{api/dashboard/contract,domain,protocol}/**/*",
    "src/guides/snippets/connection/verify.*",
  ],
};

/** The simulated phones' page, served only by the local network and never deployed. */
const PHONES = {
  config: "phone/vite.config.ts",
  dist: join(ROOT, "dist/phones"),
  sources: [...SHARED, "dashboard/phone/**/*", "src/domain/**/*"],
};

const ABANDONED_MS = 10 * 60_000;

/** The folder of the built dashboard. Builds it first if these sources have not been built yet. */
export function builtDashboard() {
  return built(DASHBOARD);
}

export function builtPhones() {
  return built(PHONES);
}

async function built({ config, dist, sources }) {
  const hash = hashOf(sources);
  const finished = join(dist, hash);
  if (existsSync(finished)) return finished;
  mkdirSync(dist, { recursive: true });
  const unfinished = join(dist, `.${hash}.${process.pid}`);
  await build(config, unfinished);
  try {
    renameSync(unfinished, finished);
  } catch (error) {
    // Another process finished the same build first, so this one is discarded.
    if (!existsSync(finished)) throw error;
    rmSync(unfinished, { recursive: true });
  }
  removeOthers(dist, hash);
  return finished;
}

function hashOf(sources) {
  const hash = createHash("sha256");
  // Excludes the broken files that lint tests temporarily create beside the sources.
  for (const file of globSync(sources, { cwd: ROOT, exclude: ["**/planted-*/**", "**/planted-*"] }).sort()) {
    if (statSync(join(ROOT, file)).isFile()) hash.update(`${relative(".", file)}\0`).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest("hex").slice(0, 16);
}

/** Builds in a child process, so that its memory is freed afterwards. */
function build(config, outDir) {
  const vite = join(dirname(createRequire(import.meta.url).resolve("vite/package.json")), "bin/vite.js");
  const child = spawn(process.execPath, [vite, "build", "--config", config, "--outDir", outDir, "--emptyOutDir", "--logLevel", "warn"], {
    cwd: HERE,
    stdio: ["ignore", "ignore", "pipe"],
    // Test runs set NODE_ENV to "test", which would bundle React's development build.
    env: { ...process.env, NODE_ENV: "production" },
  });
  let report = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (report += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`the dashboard does not build:\n${report}`))));
  });
}

function removeOthers(dist, hash) {
  for (const name of readdirSync(dist)) {
    const abandoned = !name.startsWith(".") || Date.now() - statSync(join(dist, name)).mtimeMs > ABANDONED_MS;
    if (name !== hash && abandoned) rmSync(join(dist, name), { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${relative(ROOT, await builtDashboard())}\n`);
