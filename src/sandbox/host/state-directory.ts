import { randomBytes } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { setTimeout as pause } from "node:timers/promises";
import { writeAtomically } from "./files.ts";
import { commandLineOf, isAlive, isGroupAlive, killGroup } from "./process-table.ts";

export type StateDirectory = {
  path: string;
  worker: string;
  network: string;
  /** File for the port of the Graph simulation, which must stay the same because connected numbers store it. */
  graphPort: string;
  /** Reads the file each time, because the owner may edit it. Throws if a secret is missing. */
  secrets(): Secrets;
};

export type Secrets = Record<"KEY_SECRET" | "STATE_SECRET" | "BRIDGE_SECRET" | "AUTH_SECRET", string> & {
  ADMIN_PASSWORD: string;
  DEMO_PASSWORD: string;
};

type StateOptions = { fresh: boolean; live: boolean };

const LIVE_MARKER = "live";

/** Names of the secrets, and their lengths in random bytes. */
const SECRETS: readonly [name: keyof Secrets, bytes: number][] = [
  ["KEY_SECRET", 32],
  ["STATE_SECRET", 32],
  ["BRIDGE_SECRET", 32],
  ["AUTH_SECRET", 32],
  ["ADMIN_PASSWORD", 12],
  ["DEMO_PASSWORD", 12],
];

/** Returns a sentence that explains why the directory cannot be used; null if it can. Makes no changes. */
export function problemWith(path: string, { fresh, live }: StateOptions): string | null {
  try {
    if (!existsSync(path)) return null;
    if (!statSync(path).isDirectory()) return `${path} is not a directory`;
    if (fresh) return isStateDirectory(path) ? null : `${path} does not look like a sandbox's directory, so --fresh does not empty it`;
    // Each network rejects the credentials of the other network and logs the number out, so refuse to mix them.
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
      secrets: () => secretsIn(path),
    };
    createSecrets(path);
    mkdirSync(directory.worker, { recursive: true });
    if (live) writeAtomically(join(path, LIVE_MARKER), "");
    else mkdirSync(directory.network, { recursive: true });
    return { ok: true, directory };
  } catch (error) {
    return { ok: false, problem: unusableMessage(path, error) };
  }
}

/** Creates one folder at a time, because a recursive `mkdirSync` never returns where the system refuses with ENOENT, as below `/proc`. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

export function unusableMessage(path: string, error: unknown): string {
  return `${path} cannot be read and written (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`;
}

function isStateDirectory(path: string): boolean {
  return existsSync(join(path, ".dev.vars")) || existsSync(join(path, "worker"));
}

/** Only adds missing entries. The format is that of wrangler's `.dev.vars`. */
function createSecrets(path: string): void {
  const text = existsSync(fileOf(path)) ? readFileSync(fileOf(path), "utf8") : "";
  const known = parseEnv(text);
  const added = SECRETS.filter(([name]) => known[name] === undefined);
  const lines = added.map(([name, bytes]) => `${name}="${randomBytes(bytes).toString("base64url")}"`);
  if (lines.length > 0) writeAtomically(fileOf(path), [text.trimEnd(), ...lines].filter((part) => part !== "").join("\n") + "\n");
}

/** Throws if a secret is missing, because a new value would invalidate the keys and sessions that depend on the old one. */
function secretsIn(path: string): Secrets {
  const known = parseEnv(readFileSync(fileOf(path), "utf8"));
  for (const [name] of SECRETS) if (!known[name]) throw new Error(`${name} is missing in ${fileOf(path)}`);
  return known as Secrets;
}

const fileOf = (path: string) => join(path, ".dev.vars");

// Allows one sandbox per state directory. `sandbox.pid` names the sandbox and its process groups.
const CHECK_INTERVAL_MS = 50;
/** A sandbox that was asked to stop writes a notice within this time. */
const NOTICED_WITHIN_MS = 1_500;
/** Allows for the slowest machines; stopping usually takes seconds. */
const ENDED_WITHIN_MS = 300_000;
/** Within this time, end-orphans.ts has killed the processes that a killed sandbox left behind. */
const ORPHANS_ENDED_WITHIN_MS = 5_000;

type Holder = {
  pid: number;
  ending: boolean;
  /** null: the sandbox was started without npm. */
  npm: number | null;
  groups: readonly number[];
};

const fileIn = (path: string) => join(path, "sandbox.pid");

export function writeHolder(path: string, holder: Omit<Holder, "pid">): void {
  writeAtomically(fileIn(path), JSON.stringify({ pid: process.pid, ...holder }));
}

export function removeHolder(path: string): void {
  rmSync(fileIn(path), { force: true });
}

/** Waits while the previous sandbox in the directory ends. Returns the process if it keeps using the directory, else null. */
export async function holderThatStays(path: string): Promise<number | null> {
  const startedAt = performance.now();
  for (;;) {
    const holder = readHolder(path);
    if (holder === null || holder.pid === process.pid) return null;
    const waitedMs = performance.now() - startedAt;
    if (isSandbox(holder.pid)) {
      const isEnding = holder.ending || (holder.npm !== null && !isAlive(holder.npm));
      if (waitedMs > (isEnding ? ENDED_WITHIN_MS : NOTICED_WITHIN_MS)) return holder.pid;
    } else {
      const left = holder.groups.filter((group) => isPart(group) && isGroupAlive(group));
      if (left.length === 0) return null;
      if (waitedMs > ORPHANS_ENDED_WITHIN_MS) for (const group of left) killGroup(group, "SIGKILL");
      if (waitedMs > ENDED_WITHIN_MS) return left[0] ?? null;
    }
    await pause(CHECK_INTERVAL_MS);
  }
}

function readHolder(path: string): Holder | null {
  try {
    if (!existsSync(fileIn(path))) return null;
    const { pid = 0, ending = false, npm = null, groups = [] } = JSON.parse(readFileSync(fileIn(path), "utf8")) as Partial<Holder>;
    return Number.isInteger(pid) && pid > 0 ? { pid, ending, npm, groups } : null;
  } catch {
    // The path belongs to another program or is not a directory, which the next check reports.
    return null;
  }
}

/** Checks the command too, because process ids are reused. */
function isSandbox(pid: number): boolean {
  return isAlive(pid) && (commandLineOf(pid)?.includes("sandbox/host/start.mjs") ?? process.platform === "win32");
}

/** A group whose first process has ended still counts, because a group can outlive the process that it is named after. */
function isPart(group: number): boolean {
  return commandLineOf(group)?.includes("exit-with-parent.mjs") ?? true;
}

// The ready file: what a script needs to use this sandbox (docs/use/sandbox.md, "Ready file").
export type DemoCloud = { id: number; instance_id: string; name: string; phone: string; api_key: string; phone_number_id: string };

export type Ready = {
  app_url: string;
  base_url: string;
  dashboard_url: string;
  /** null with `--live`, which has no test network. */
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
    /** null with `--live` or an external issuer. */
    cloud: DemoCloud | null;
  };
};
