// Writes one backup: a folder with a copy of the data and a manifest. The folder gets its name only when it is complete and on disk.
import { copyFileSync, existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type DataFolder, MOVE_KEY } from "../data-folder.ts";
import { flushToDisk, makeDirectory, writeAtomically } from "../files.ts";
import { filesBelow, listed, type ListedFile, manifestFile, readManifest } from "./manifest.ts";
import { copySnapshot } from "./snapshot.ts";
import { lowMark, megabytes, type Space, spaceOf } from "./space.ts";

const NAME = /^gateway-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})-(\d{3})Z$/;
const UNFINISHED = "unfinished-";
const LINKS = "backup-links";
/** Unit of a file's size on disk (`stat`). */
const BLOCK_BYTES = 512;
/** Files that are not part of the snapshot. They are copied before it, so that `format` is never newer than the data. */
const WHOLE_FILES = ["format", "secrets.env", MOVE_KEY];

export type Backup = { path: string; files: number; bytes: number; pausedMs: number };

/** The backups, sorted from oldest to newest. */
export function backupsIn(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => NAME.test(name))
        .toSorted()
    : [];
}

const nameAt = (time: Date) => `gateway-${time.toISOString().replaceAll(/[:.]/g, "-")}`;

/** The newest backup's time, or null if there is none. Ignores backups dated after `now` (Unix ms), made while the clock was ahead. */
export function lastBackupAt(folder: string, now: number): number | null {
  let names: string[] = [];
  try {
    names = backupsIn(folder);
  } catch {}
  const newest = names.findLast((name) => name <= nameAt(new Date(now)));
  const [, day, hour, minute, second, ms] = NAME.exec(newest ?? "") ?? [];
  return day === undefined ? null : Date.parse(`${day}T${hour}:${minute}:${second}.${ms}Z`);
}

/** `report` gets a sentence for the operator about each backup that is deleted early. */
type Surroundings = { report: (text: string) => void; space: (folder: string) => Space };

/** Throws if the backup cannot be made. In that case, no partial backup is left behind. */
export async function makeBackup(
  folder: DataFolder,
  backups: string,
  keep: number,
  now: Date,
  { report, space }: Surroundings = { report: () => undefined, space: spaceOf },
): Promise<Backup> {
  makeDirectory(backups);
  for (const name of readdirSync(backups)) if (name.startsWith(UNFINISHED)) remove(join(backups, name));
  remove(join(folder.path, LINKS));
  const name = nameAt(now);
  makeRoom(bytesBelow(folder.storage), backups, oldestFirst(backups, name), { report, space });
  const [unfinished, path] = [join(backups, `${UNFINISHED}${name}`), join(backups, name)];
  try {
    makeDirectory(unfinished);
    for (const file of WHOLE_FILES) if (existsSync(join(folder.path, file))) copyFileSync(join(folder.path, file), join(unfinished, file));
    const pausedMs = await copySnapshot(folder, join(folder.path, LINKS), unfinished);
    const files: ListedFile[] = [];
    for (const file of filesBelow(unfinished)) {
      flushToDisk(join(unfinished, file));
      files.push(await listed(unfinished, file));
    }
    writeAtomically(manifestFile(unfinished), `${JSON.stringify({ created_at: now.toISOString(), files }, null, 1)}\n`);
    flushToDisk(manifestFile(unfinished));
    await shareMedia(unfinished, files, backups);
    flushToDisk(unfinished);
    renameSync(unfinished, path);
    flushToDisk(backups);
    for (const old of oldestFirst(backups, name).slice(0, -keep)) remove(join(backups, old));
    return { path, files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), pausedMs };
  } catch (error) {
    remove(unfinished);
    throw error;
  }
}

/** A backup dated after `name` is in fact older, because the clock was ahead. */
function oldestFirst(backups: string, name: string): string[] {
  const names = backupsIn(backups);
  return [...names.filter((other) => other > name), ...names.filter((other) => other <= name)];
}

/** Links media files that are undamaged in the previous backup, so that they occupy the disk only once. */
async function shareMedia(unfinished: string, files: readonly ListedFile[], backups: string): Promise<void> {
  const last = backupsIn(backups).at(-1);
  if (last === undefined) return;
  const previous = join(backups, last);
  const known = new Map(readManifest(previous)?.files.map((file) => [file.path, file]));
  for (const { path, sha256 } of files) {
    if (!path.includes("/blobs/") || known.get(path)?.sha256 !== sha256) continue;
    const found = await listed(previous, path).catch(() => null);
    if (found?.sha256 !== sha256) continue;
    const shared = join(unfinished, `${path}.shared`);
    try {
      linkSync(join(previous, path), shared);
      renameSync(shared, join(unfinished, path));
    } catch {
      // The file system does not support links, so each backup keeps its own copy.
    }
  }
}

/**
 * A full disk would stop the gateway, so a backup must leave it above the low mark. Deletes the oldest backups if the new one then fits, but
 * never the newest. Throws if the new one does not fit.
 */
function makeRoom(needed: number, backups: string, existing: readonly string[], { report, space }: Surroundings): void {
  const { free, size } = space(backups);
  const reserve = lowMark(size);
  if (free > needed + reserve) return;
  const deleted = deletableFor(needed + reserve - free, backups, existing.slice(0, -1));
  for (const name of deleted) {
    remove(join(backups, name));
    report(`${join(backups, name)}: deleted to make room for a new backup`);
  }
  const now = deleted.length > 0 ? space(backups).free : free;
  if (now > needed + reserve) return;
  const [has, needs, leaves] = [now, needed, reserve].map(megabytes);
  throw new Error(`BACKUP_DIR: ${backups} has ${has} MB free, and a backup needs ${needs} MB and must leave ${leaves} MB free`);
}

/** The first of `names` whose deletion frees more than this many bytes, or none if even all free less: none is deleted in vain. */
function deletableFor(bytes: number, backups: string, names: readonly string[]): readonly string[] {
  const links = new Map<number, number>();
  let freed = 0;
  for (const [index, name] of names.entries()) {
    for (const file of filesBelow(join(backups, name))) {
      const { ino, nlink, blocks } = statSync(join(backups, name, file));
      const deleted = (links.get(ino) ?? 0) + 1;
      links.set(ino, deleted);
      // Backups share media files, which occupy the disk until their last link is deleted.
      if (deleted === nlink) freed += blocks * BLOCK_BYTES;
    }
    if (freed > bytes) return names.slice(0, index + 1);
  }
  return [];
}

function bytesBelow(folder: string): number {
  return filesBelow(folder).reduce((sum, path) => sum + (statSync(join(folder, path), { throwIfNoEntry: false })?.size ?? 0), 0);
}

const remove = (path: string) => rmSync(path, { recursive: true, force: true });
