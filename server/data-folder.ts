// The data folder: everything that a single-machine deployment must keep (docs/operate/one-machine.md, "Data folder").
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Holdings } from "./directory-holder.ts";
import { downgradeProblem, FORMAT, type Format, parsedFormat } from "./format.ts";
import { makeDirectory, unusableMessage, writeAtomically } from "./files.ts";
import { LOCK } from "./folder-lock.ts";
import { createSecrets, readSecretsFile } from "./secrets-file.ts";

export type DataFolder = {
  path: string;
  /** Objects, D1 and media, as the runtime stores them. */
  storage: string;
  mail: string;
  /** Reads the file each time. Throws if a secret is missing. */
  secrets(): Secrets;
};

const SECRETS = { KEY_SECRET: 32, STATE_SECRET: 32, BRIDGE_SECRET: 32, AUTH_SECRET: 32 };
export type Secrets = Record<keyof typeof SECRETS, string>;

/** Allows one gateway per data folder. */
export const HELD_BY_SERVER: Holdings = { file: "serve.pid", program: "server/start.mjs" };
/** Keeps the gateway from starting during a move. */
export const HELD_BY_MOVE: Holdings = { file: "move.pid", program: "server/move/" };
/** Keeps moves and restores from replacing files that a backup reads. */
export const HELD_BY_BACKUP: Holdings = { file: "backup.pid", program: "server/backup/" };

/** This machine's private key, which it needs to receive moved connections. */
export const MOVE_KEY = "move.key";
/** The folder for copies of connections that have left this machine. */
export const MOVES = "moves";

const MIGRATIONS = fileURLToPath(new URL("../migrations", import.meta.url));

export function migrationNames(): string[] {
  return readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith(".sql"))
    .toSorted();
}

/** Returns a sentence that explains why the folder cannot be used, or null if it can. Makes no changes. */
export function dataProblem(path: string): string | null {
  try {
    if (!existsSync(path)) return null;
    if (!statSync(path).isDirectory()) return `${path} is not a directory`;
    if (!existsSync(formatFile(path))) {
      const strange = readdirSync(path).find((name) => !isOfFirstStart(path, name));
      return strange === undefined ? null : `${path} holds ${strange}, but no data of a gateway; choose an empty folder`;
    }
    const stored = readFormat(path);
    return stored === null ? `${formatFile(path)} cannot be read; restore a backup` : downgradeProblem(stored, migrationNames());
  } catch (error) {
    return unusableMessage(path, error);
  }
}

/** Entries that a first start creates before `format`. */
const FIRST_ENTRIES = new Set(["lost+found", LOCK, "secrets.env", HELD_BY_SERVER.file, "logs"]);

/** True for entries from a first start that ended before it wrote `format`, for example because of a full disk or a failed build. */
function isOfFirstStart(path: string, name: string): boolean {
  if (name === "storage") return readdirSync(join(path, name)).length === 0;
  return FIRST_ENTRIES.has(name) || /^(secrets\.env|format|serve\.pid)\.\d+\.tmp$/.test(name);
}

/** `text` is the content of a backup's `format` file. */
export function formatProblem(text: string): string | null {
  const stored = parsedFormat(text);
  return stored === null ? "format cannot be read" : downgradeProblem(stored, migrationNames());
}

/** Returns null if nothing is stored there yet. */
export function existingDataFolder(path: string): DataFolder | null {
  return existsSync(formatFile(path)) ? dataFolderAt(path) : null;
}

function dataFolderAt(path: string): DataFolder {
  const file = secretsFile(path);
  return { path, storage: join(path, "storage"), mail: join(path, "mail"), secrets: () => readSecretsFile(file, SECRETS) };
}

export type OpenedFolder = { ok: true; folder: DataFolder } | { ok: false; problem: string };

/** Must be called after `dataProblem`. Leaves existing data to its release until `recordRelease`. */
export function openDataFolder(path: string): OpenedFolder {
  try {
    makeDirectory(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const folder = dataFolderAt(path);
    // New secrets would make existing data useless, so they are created only in a new folder.
    if (readFormat(path) === null) createSecrets(secretsFile(path), SECRETS, ["KEY_SECRET"]);
    folder.secrets();
    mkdirSync(folder.storage, { recursive: true });
    return { ok: true, folder };
  } catch (error) {
    const isSystems = (error as NodeJS.ErrnoException).code !== undefined;
    return { ok: false, problem: isSystems ? unusableMessage(path, error) : (error as Error).message };
  }
}

/**
 * Locks out older releases, so it is called last before the runtime opens the databases: if this release cannot start, the older one still
 * can. Returns the format of the release that used the data before, or null if it was this one.
 */
export function recordRelease(path: string): Format | null {
  const before = readFormat(path);
  const now = { format: FORMAT, migrations: migrationNames() };
  if (JSON.stringify(before) === JSON.stringify(now)) return null;
  writeAtomically(formatFile(path), `${JSON.stringify(now)}\n`);
  return before;
}

const formatFile = (path: string) => join(path, "format");
const secretsFile = (path: string) => join(path, "secrets.env");

function readFormat(path: string): Format | null {
  return existsSync(formatFile(path)) ? parsedFormat(readFileSync(formatFile(path), "utf8")) : null;
}
