// Writes one backup: a folder with a copy of the data and a manifest. The folder gets its name only when it is complete and on disk.
import { copyFileSync, existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type DataFolder, MOVE_KEY } from "../data-folder.ts";
import { flushToDisk, makeDirectory, writeAtomically } from "../files.ts";
import { filesBelow, listed, type ListedFile, manifestFile, readManifest } from "./manifest.ts";
import { copySnapshot } from "./snapshot.ts";
import { freeBytes, megabytes } from "./space.ts";

const NAME = /^gateway-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})-(\d{3})Z$/;
const UNFINISHED = "unfinished-";
const LINKS = "backup-links";
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

/** Throws if the backup cannot be made. In that case, no partial backup is left behind. */
export async function makeBackup(folder: DataFolder, backups: string, keep: number, now: Date): Promise<Backup> {
  makeDirectory(backups);
  for (const name of readdirSync(backups)) if (name.startsWith(UNFINISHED)) remove(join(backups, name));
  remove(join(folder.path, LINKS));
  const problem = spaceProblem(folder.storage, backups);
  if (problem !== null) throw new Error(problem);
  const name = nameAt(now);
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

/** A full disk would stop the gateway, so no backup is started unless it fits. */
function spaceProblem(storage: string, backups: string): string | null {
  const needed = filesBelow(storage).reduce((sum, path) => sum + (statSync(join(storage, path), { throwIfNoEntry: false })?.size ?? 0), 0);
  const free = freeBytes(backups);
  return free > needed ? null : `BACKUP_DIR: ${backups} has ${megabytes(free)} MB free, and a backup needs ${megabytes(needed)} MB`;
}

const remove = (path: string) => rmSync(path, { recursive: true, force: true });
