// The state directory: all durable state of one sandbox, and its secrets.
import { randomBytes } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "./files.ts";

export type StateDirectory = {
  path: string;
  /** Durable Objects, D1 and R2 of the local runtime. */
  worker: string;
  /** The file with the worker that this start has bundled. */
  preparedWorker: string;
  network: string;
  /** As the file has them now: the owner may change them while the sandbox runs. */
  secrets(): Secrets;
};

export type Secrets = Record<"KEY_SECRET" | "STATE_SECRET" | "BRIDGE_SECRET" | "AUTH_SECRET", string> & {
  ADMIN_PASSWORD: string;
  DEMO_PASSWORD: string;
};

/** Flags that concern the directory. */
type StateOptions = { fresh: boolean; live: boolean };

/** Marker file of a directory whose numbers belong to the real network. */
const LIVE_MARKER = "live";

const SECRET_NAMES = ["KEY_SECRET", "STATE_SECRET", "BRIDGE_SECRET", "AUTH_SECRET"] as const;

/** Why the directory cannot be used, in one sentence; null if it can. Changes nothing. */
export function problemWith(path: string, { fresh, live }: StateOptions): string | null {
  try {
    if (!existsSync(path)) return null;
    if (!statSync(path).isDirectory()) return `${path} is not a directory`;
    if (fresh) return isStateDirectory(path) ? null : `${path} does not look like a sandbox's directory, so --fresh does not empty it`;
    // Credentials of one network are refused by the other, and a refused number is logged out.
    if (live && existsSync(join(path, "network"))) return `${path} belongs to simulated phones; give --live a --state of its own`;
    if (!live && existsSync(join(path, LIVE_MARKER)))
      return `${path} belongs to real phones; start it with --live, or choose another --state`;
    return null;
  } catch (error) {
    return unusableMessage(path, error);
  }
}

/** Creates or opens the directory, which `problemWith` has accepted; a sentence if that fails. */
export function openStateDirectory(
  path: string,
  { fresh, live }: StateOptions,
): { ok: true; directory: StateDirectory } | { ok: false; problem: string } {
  try {
    if (fresh && existsSync(path)) rmSync(path, { recursive: true });
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const preparedWorker = join(path, "worker.json");
    const directory = {
      path,
      worker: join(path, "worker"),
      preparedWorker,
      network: join(path, "network"),
      secrets: () => secretsIn(path),
    };
    directory.secrets();
    // The code may have changed since the last start.
    rmSync(preparedWorker, { force: true });
    mkdirSync(directory.worker, { recursive: true });
    if (live) writeAtomically(join(path, LIVE_MARKER), "");
    else mkdirSync(directory.network, { recursive: true });
    return { ok: true, directory };
  } catch (error) {
    return { ok: false, problem: unusableMessage(path, error) };
  }
}

/** For the terminal; `error` comes from the file system. */
export function unusableMessage(path: string, error: unknown): string {
  return `${path} cannot be read and written (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`;
}

function isStateDirectory(path: string): boolean {
  return existsSync(join(path, ".dev.vars")) || existsSync(join(path, "worker"));
}

/** The directory's secrets, created at the first start, in wrangler's format (`.dev.vars`). */
function secretsIn(path: string): Secrets {
  const file = join(path, ".dev.vars");
  const known = existsSync(file) ? parseVars(readFileSync(file, "utf8")) : {};
  const secrets = {} as Secrets;
  for (const name of SECRET_NAMES) secrets[name] = known[name] ?? randomBytes(32).toString("base64url");
  for (const name of ["ADMIN_PASSWORD", "DEMO_PASSWORD"] as const) secrets[name] = known[name] ?? randomBytes(12).toString("base64url");
  const lines = Object.entries(secrets).map(([name, value]) => `${name}="${value}"`);
  if (Object.keys(secrets).some((name) => known[name] === undefined)) writeAtomically(file, `${lines.join("\n")}\n`);
  return secrets;
}

function parseVars(text: string): Record<string, string> {
  const entries = text.split("\n").flatMap((line) => {
    const [, name, value] = /^([A-Z_]+)="([^"]*)"$/.exec(line.trim()) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}
