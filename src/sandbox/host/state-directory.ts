import { randomBytes } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { writeAtomically } from "./files.ts";

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

/** Returns a sentence about why the directory cannot be used; null: it can. Changes nothing. */
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
    mkdirSync(path, { recursive: true, mode: 0o700 });
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
