// The state directory: everything durable of one sandbox, its secrets, and the mark of who is using it.
import { randomBytes } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type StateDirectory = {
  path: string;
  /** Durable Objects, D1 and R2 of the local runtime. */
  worker: string;
  /** A file: the worker as this start has bundled it. */
  preparedWorker: string;
  network: string;
  secrets: Secrets;
};

export type Secrets = Record<"KEY_SECRET" | "STATE_SECRET" | "BRIDGE_SECRET" | "AUTH_SECRET", string> & {
  ADMIN_PASSWORD: string;
  DEMO_PASSWORD: string;
};

/** How the sandbox was asked to use the directory. */
type Wish = { fresh: boolean; live: boolean };

/** Marks a directory whose numbers are of the real network. */
const LIVE = "live";

const SECRET_NAMES = ["KEY_SECRET", "STATE_SECRET", "BRIDGE_SECRET", "AUTH_SECRET"] as const;

/** What stands against using the directory, in one sentence; nothing in it is changed yet. */
export function objectionTo(path: string, { fresh, live }: Wish): string | null {
  try {
    if (!existsSync(path)) return null;
    if (!statSync(path).isDirectory()) return `${path} is not a directory`;
    const holder = holderOf(path);
    if (holder !== null) return `${path} is in use by another sandbox (process ${holder})`;
    if (fresh) return looksLikeOurs(path) ? null : `${path} does not look like a sandbox's directory, so --fresh does not empty it`;
    // Credentials of one network shown to the other are refused, and a number that is refused is logged out.
    if (live && existsSync(join(path, "network"))) return `${path} belongs to simulated phones; give --live a --state of its own`;
    if (!live && existsSync(join(path, LIVE))) return `${path} belongs to real phones; start it with --live, or choose another --state`;
    return null;
  } catch (error) {
    return unusable(path, error);
  }
}

/** Creates or opens the directory, to which nothing stands against; a sentence when it cannot be used. */
export function openStateDirectory(
  path: string,
  { fresh, live }: Wish,
): { ok: true; directory: StateDirectory } | { ok: false; problem: string } {
  try {
    if (fresh && existsSync(path)) rmSync(path, { recursive: true });
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const preparedWorker = join(path, "worker.json");
    const directory = { path, worker: join(path, "worker"), preparedWorker, network: join(path, "network"), secrets: secretsIn(path) };
    // The code may have changed since the last start.
    rmSync(preparedWorker, { force: true });
    mkdirSync(directory.worker, { recursive: true });
    if (live) writeAtomically(join(path, LIVE), "");
    else mkdirSync(directory.network, { recursive: true });
    writeAtomically(join(path, "sandbox.pid"), String(process.pid));
    return { ok: true, directory };
  } catch (error) {
    return { ok: false, problem: unusable(path, error) };
  }
}

export function leaveStateDirectory(directory: StateDirectory): void {
  rmSync(join(directory.path, "sandbox.pid"), { force: true });
}

/** Whoever reads the file sees the old text or the new one, never a part. */
export function writeAtomically(file: string, text: string): void {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

/** Whether a file can be put there, said before anything else is done. */
export function canWriteBeside(file: string): boolean {
  try {
    accessSync(dirname(file), constants.W_OK | constants.X_OK);
    return !existsSync(file) || statSync(file).isFile();
  } catch {
    return false;
  }
}

function unusable(path: string, error: unknown): string {
  return `${path} cannot be read and written (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`;
}

function holderOf(path: string): number | null {
  const file = join(path, "sandbox.pid");
  if (!existsSync(file)) return null;
  const pid = Number(readFileSync(file, "utf8"));
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return null;
  return isSandbox(pid) ? pid : null;
}

/** A pid is reused in time: what counts is whether that process is a sandbox. */
function isSandbox(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const commandLine = `/proc/${pid}/cmdline`;
  return !existsSync(commandLine) || readFileSync(commandLine, "utf8").includes("sandbox/host/start.mjs");
}

function looksLikeOurs(path: string): boolean {
  return existsSync(join(path, ".dev.vars")) || existsSync(join(path, "worker"));
}

/** Secrets of this directory, made at the first start, in the form wrangler reads (`.dev.vars`). */
function secretsIn(path: string): Secrets {
  const file = join(path, ".dev.vars");
  const known = existsSync(file) ? parseVars(readFileSync(file, "utf8")) : {};
  const secrets = {} as Secrets;
  for (const name of SECRET_NAMES) secrets[name] = known[name] ?? randomBytes(32).toString("base64url");
  for (const name of ["ADMIN_PASSWORD", "DEMO_PASSWORD"] as const) secrets[name] = known[name] ?? randomBytes(12).toString("base64url");
  writeAtomically(
    file,
    `${Object.entries(secrets)
      .map(([name, value]) => `${name}="${value}"`)
      .join("\n")}\n`,
  );
  return secrets;
}

function parseVars(text: string): Record<string, string> {
  const entries = text.split("\n").flatMap((line) => {
    const [, name, value] = /^([A-Z_]+)="([^"]*)"$/.exec(line.trim()) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}
