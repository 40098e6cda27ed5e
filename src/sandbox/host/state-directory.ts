import { accessSync, constants, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory, unusableMessage, writeAtomically } from "#root/server/files.ts";
import type { Holdings } from "#root/server/directory-holder.ts";
import { createSecrets, readSecretsFile } from "#root/server/secrets-file.ts";

export type StateDirectory = {
  path: string;
  worker: string;
  network: string;
  /** The file with the simulated Graph API's port, which must stay the same because connected numbers store it. */
  graphPort: string;
  /** Reads the file each time, because the owner may edit it. Throws if a secret is missing. */
  secrets(): Secrets;
};

/** Names of the secrets, and their lengths in random bytes. */
const SECRETS = {
  KEY_SECRET: 32,
  STATE_SECRET: 32,
  BRIDGE_SECRET: 32,
  AUTH_SECRET: 32,
  ADMIN_PASSWORD: 12,
  DEMO_PASSWORD: 12,
};

export type Secrets = Record<keyof typeof SECRETS, string>;

/** Allows one sandbox per state directory. `sandbox.pid` identifies the sandbox and its process groups. */
export const HELD_BY_SANDBOX: Holdings = { file: "sandbox.pid", program: "sandbox/host/start.mjs" };

type StateOptions = { fresh: boolean; live: boolean };

const LIVE_MARKER = "live";

/** Returns a sentence that explains why the directory cannot be used, or null if it can. Makes no changes. */
export function problemWith(path: string, { fresh, live }: StateOptions): string | null {
  try {
    if (!existsSync(path)) return null;
    if (!statSync(path).isDirectory()) return `${path} is not a directory`;
    if (fresh) return isStateDirectory(path) ? null : `${path} does not look like a sandbox's directory, so --fresh does not empty it`;
    // Each network rejects the other's credentials and logs the number out, so mixing them is refused.
    if (live && existsSync(join(path, "network"))) return `${path} belongs to simulated phones; give --live a --state of its own`;
    if (!live && existsSync(join(path, LIVE_MARKER)))
      return `${path} belongs to real phones; start it with --live, or choose another --state`;
    return null;
  } catch (error) {
    return unusableMessage(path, error);
  }
}

/** Call `problemWith` first. Returns a sentence when the file system fails. */
export function openStateDirectory(
  path: string,
  { fresh, live }: StateOptions,
): { ok: true; directory: StateDirectory } | { ok: false; problem: string } {
  try {
    if (fresh && existsSync(path)) rmSync(path, { recursive: true });
    makeDirectory(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const directory = {
      path,
      worker: join(path, "worker"),
      network: join(path, "network"),
      graphPort: join(path, "graph.port"),
      secrets: () => readSecretsFile(fileOf(path), SECRETS),
    };
    createSecrets(fileOf(path), SECRETS);
    mkdirSync(directory.worker, { recursive: true });
    if (live) writeAtomically(join(path, LIVE_MARKER), "");
    else mkdirSync(directory.network, { recursive: true });
    return { ok: true, directory };
  } catch (error) {
    return { ok: false, problem: unusableMessage(path, error) };
  }
}

function isStateDirectory(path: string): boolean {
  return existsSync(join(path, ".dev.vars")) || existsSync(join(path, "worker"));
}

const fileOf = (path: string) => join(path, ".dev.vars");

// The ready file: what a script needs to use this sandbox (docs/use/sandbox.md, "Ready file").
export type DemoCloud = { id: number; instance_id: string; name: string; phone: string; api_key: string; phone_number_id: string };

export type Ready = {
  app_url: string;
  base_url: string;
  dashboard_url: string;
  /** Null with `--live`, which has no test network. */
  network_url: string | null;
  graph_url: string | null;
  processes: { sandbox: number; worker: number; bridge: number; network: number | null };
  admin: { email: string; password: string };
  demo: {
    email: string;
    password: string;
    api_key: string;
    connection: { id: number; instance_id: string; name: string; phone: string | null; api_key: string };
    contact: { phone: string; name: string } | null;
    cloud: DemoCloud | null;
  };
};
