// Copies the data folder as of one moment. Read transactions keep the databases unchanged, and links keep the immutable media files.
import { copyFileSync, cpSync, existsSync, linkSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { type DataFolder, MOVES } from "../data-folder.ts";
import { makeDirectory } from "../files.ts";
import { filesBelow } from "./manifest.ts";
import { whilePaused } from "./pause.ts";

/** Number of pages copied at once. Other work continues between the batches. */
const PAGES_AT_ONCE = 1_000;

const isDatabase = (path: string) => path.endsWith(".sqlite");
/** SQLite's auxiliary files. The copy of the database already includes their content. */
const isSidecar = (path: string) => /\.sqlite-(wal|shm|journal)$/.test(path);
const isMedia = (path: string) => !isDatabase(path) && !isSidecar(path);

/** Folders that are copied after the pause. Only moves change MOVES, and no move starts during a backup. */
const BESIDE = ["mail", MOVES];

type LockedDatabase = { path: string; database: DatabaseSync };
type Snapshot = { databases: LockedDatabase[]; media: string[] };

/** Resolves to the duration of the pause. `links` must be a folder on the data folder's file system. */
export async function copySnapshot(folder: DataFolder, links: string, target: string): Promise<number> {
  mkdirSync(links, { mode: 0o700 });
  try {
    // Links almost all media before the pause, to keep the pause short.
    const linked = new Set<string>();
    linkMedia(folder.storage, filesBelow(folder.storage), links, linked);
    const { result, pausedMs } = await whilePaused(folder.path, {
      read: () => lockAll(folder.storage, links, linked),
      discard: ({ databases }) => release(databases),
    });
    try {
      for (const { path, database } of result.databases) await copyDatabase(database, made(join(target, "storage", path)));
    } finally {
      release(result.databases);
    }
    for (const path of result.media) copyFileSync(join(links, path), made(join(target, "storage", path)));
    for (const name of BESIDE)
      if (existsSync(join(folder.path, name))) cpSync(join(folder.path, name), join(target, name), { recursive: true });
    return pausedMs;
  } finally {
    rmSync(links, { recursive: true, force: true });
  }
}

/** Returns null if the runtime was paused while it held a lock, for example while it closed a database. */
function lockAll(storage: string, links: string, linked: Set<string>): Snapshot | null {
  const databases: LockedDatabase[] = [];
  // Listed once, because the gateway waits.
  const paths = filesBelow(storage);
  try {
    for (const path of paths.filter(isDatabase)) {
      const database = new DatabaseSync(join(storage, path));
      databases.push({ path, database });
      // The first read starts the transaction. The cache is small, because hundreds of databases are open at once.
      database.exec("PRAGMA cache_size = -64; BEGIN; SELECT count(*) FROM sqlite_schema");
    }
    return { databases, media: linkMedia(storage, paths, links, linked) };
  } catch (error) {
    release(databases);
    if (/locked|busy/i.test((error as Error).message)) return null;
    throw error;
  }
}

function release(databases: readonly LockedDatabase[]): void {
  for (const { database } of databases) if (database.isOpen) database.close();
}

/** Links the media files among `paths` that are not in `linked`, and adds them. Returns the paths of all media files. */
function linkMedia(storage: string, paths: readonly string[], links: string, linked: Set<string>): string[] {
  const media = paths.filter(isMedia);
  for (const path of media) if (!linked.has(path) && linkOrCopy(join(storage, path), made(join(links, path)))) linked.add(path);
  return media;
}

/** Copies the file if the file system does not support links. Returns false if the file was deleted after it was listed. */
function linkOrCopy(from: string, to: string): boolean {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    copyFileSync(from, to);
  }
  return true;
}

async function copyDatabase(database: DatabaseSync, target: string): Promise<void> {
  await backup(database, target, { rate: PAGES_AT_ONCE });
  database.close();
  const copy = new DatabaseSync(target);
  const [first] = copy.prepare("PRAGMA quick_check").all();
  copy.close();
  if (first?.["quick_check"] !== "ok") throw new Error(`the database ${target} is damaged: ${String(first?.["quick_check"])}`);
}

function made(file: string): string {
  makeDirectory(dirname(file));
  return file;
}
