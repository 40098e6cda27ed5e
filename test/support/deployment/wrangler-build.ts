// The bundle that `wrangler deploy` would upload. Wrangler's esbuild keeps other parts of packages than the sandbox's, so only this bundle
// shows whether the deployed worker starts.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
const PATIENT = new URL("./patient-wrangler.ts", import.meta.url).href;

/** What wrangler printed. `logs`: where it writes its log. */
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

/** Leaves `worker.js`, and the upload itself as `worker.bundle`, in the folder `to`. `entry`: another file than the one that `wrangler.toml` names. */
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

/** `wrangler check startup`, of the bundle in this folder: starts the local runtime with its profiler, and loads the worker. */
export function checkStartup(folder: string): Promise<string> {
  const args = ["check", "startup", "--worker", join(folder, "worker.bundle"), "--outfile", join(folder, "startup.cpuprofile")];
  return runWrangler(args, join(folder, "logs"), ["--import", PATIENT]);
}

/** Of a deployment that a test starts by itself, without `npm run setup`. */
export const DEPLOYMENT_SECRETS = Object.fromEntries(
  ["KEY_SECRET", "STATE_SECRET", "BRIDGE_SECRET", "AUTH_SECRET"].map((name) => [name, `${name.toLowerCase()}-`.padEnd(48, "x")]),
);
