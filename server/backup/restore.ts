// Replaces the data folder's content with a backup.
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { formatProblem, MOVE_KEY, MOVES } from "../data-folder.ts";
import { flushToDisk, makeDirectory, unusableMessage } from "../files.ts";
import { LOCK } from "../folder-lock.ts";
import { damageOf, filesBelow, readManifest } from "./manifest.ts";
import { freeBytes, megabytes } from "./space.ts";

const STAGED = "restoring";
const ENTRIES = ["storage", "mail", MOVES, MOVE_KEY, "secrets.env", "format"];
/** These entries are not data: the file system's own folder, the lock, and the remains of an interrupted restore. */
const IGNORED = new Set(["lost+found", LOCK, STAGED]);

type Restored = { ok: true; movedTo: string | null } | { ok: false; problem: string };

/** `free` returns the number of free bytes. */
type Disk = { flush: (path: string) => void; free: (folder: string) => number };

/**
 * Changes nothing unless the backup is complete and this release understands it. `replace` moves existing data aside. `format` moves away
 * first and comes back last, so no gateway starts on a half-restored folder. Without `flush`, a power failure could leave empty files.
 */
export async function restore(
  backup: string,
  dataFolder: string,
  replace: boolean,
  now: Date,
  { flush, free }: Disk = { flush: flushToDisk, free: freeBytes },
): Promise<Restored> {
  const problem = (await damageOf(backup)) ?? releaseProblem(backup);
  if (problem !== null) return { ok: false, problem: `${backup}: ${problem}` };
  const present = existsSync(dataFolder) ? readdirSync(dataFolder).filter((name) => !IGNORED.has(name) && !isAside(name)) : [];
  if (present.length > 0 && !replace) return { ok: false, problem: `DATA_DIR: ${dataFolder} holds data; add --replace to move it aside` };
  makeDirectory(dataFolder);
  const staged = join(dataFolder, STAGED);
  rmSync(staged, { recursive: true, force: true });
  const needed = (readManifest(backup)?.files ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
  const room = free(dataFolder);
  if (room <= needed)
    return { ok: false, problem: `DATA_DIR: ${dataFolder} has ${megabytes(room)} MB free, and the restore needs ${megabytes(needed)} MB` };
  const aside = join(dataFolder, `before-restore-${now.toISOString().replaceAll(/[:.]/g, "-")}`);
  try {
    for (const name of ENTRIES) if (existsSync(join(backup, name))) cpSync(join(backup, name), join(staged, name), { recursive: true });
    for (const path of filesAndFolders(staged)) flush(path);
    if (present.length > 0) makeDirectory(aside);
  } catch (error) {
    // Otherwise, the partial copy would keep the disk full.
    rmSync(staged, { recursive: true, force: true });
    return { ok: false, problem: `DATA_DIR: ${unusableMessage(dataFolder, error)}; nothing was restored` };
  }
  for (const name of ["format", ...present.filter((one) => one !== "format")])
    if (existsSync(join(dataFolder, name))) renameSync(join(dataFolder, name), join(aside, name));
  for (const name of ENTRIES) if (existsSync(join(staged, name))) renameSync(join(staged, name), join(dataFolder, name));
  flush(dataFolder);
  rmSync(staged, { recursive: true });
  return { ok: true, movedTo: present.length > 0 ? aside : null };
}

function filesAndFolders(folder: string): ReadonlySet<string> {
  const files = filesBelow(folder).map((path) => join(folder, path));
  return new Set([...files, ...files.map((file) => dirname(file))]);
}

function releaseProblem(backup: string): string | null {
  const file = join(backup, "format");
  return existsSync(file) ? formatProblem(readFileSync(file, "utf8")) : "format is missing";
}

const isAside = (name: string) => name.startsWith("before-restore-");
