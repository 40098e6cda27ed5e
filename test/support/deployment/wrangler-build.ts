// The bundle that `wrangler deploy` would upload. Wrangler's esbuild picks other package entry points than the sandbox, so only this
// bundle shows whether the deployed worker starts.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
const PATIENT = new URL("./patient-wrangler.ts", import.meta.url).href;

/** Returns wrangler's output. `logs`: folder for its log. */
async function runWrangler(args: readonly string[], logs: string, node: readonly string[] = []): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [...node, WRANGLER, ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      CI: "1",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_HIDE_BANNER: "true",
      WRANGLER_LOG_PATH: logs,
      NO_COLOR: "1",
    },
  });
  return stdout;
}

export type WranglerBuild = { report: string; script: string };

/** Writes `worker.js`, and the upload itself as `worker.bundle`, to the folder `to`. `entry` replaces the entry file of `wrangler.toml`. */
export async function wranglerBuild(to: string, entry: string | null = null): Promise<WranglerBuild> {
  const args = [
    "deploy",
    ...(entry === null ? [] : [entry]),
    "--dry-run",
    "--containers-rollout=none",
    "--outdir",
    to,
    "--outfile",
    join(to, "worker.bundle"),
  ];
  const report = await runWrangler(args, join(to, "logs"));
  return { report, script: readFileSync(join(to, "worker.js"), "utf8") };
}

/** Runs `wrangler check startup` on the bundle in this folder: starts the local runtime with its profiler and loads the worker. */
export function checkStartup(folder: string): Promise<string> {
  const args = ["check", "startup", "--worker", join(folder, "worker.bundle"), "--outfile", join(folder, "startup.cpuprofile")];
  return runWrangler(args, join(folder, "logs"), ["--import", PATIENT]);
}

/** Secrets for a deployment that a test starts itself, without `npm run setup`. */
export const DEPLOYMENT_SECRETS = Object.fromEntries(
  ["KEY_SECRET", "STATE_SECRET", "BRIDGE_SECRET", "AUTH_SECRET"].map((name) => [name, `${name.toLowerCase()}-`.padEnd(48, "x")]),
);
