// Lets only one gateway, move or restore use a data folder. A pid file would not work, because other containers' processes are invisible.
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeDirectory } from "./files.ts";

/** An empty file. SQLite locks it, and the system releases the lock when the process ends. */
export const LOCK = "lock";

/** Keeps a reference, because a database would be closed when it is garbage collected. */
const held: DatabaseSync[] = [];

/** Holds the lock until this process ends. Returns false if another process has the lock. Creates the folder if it is missing. */
export function lockFolder(path: string): boolean {
  makeDirectory(path);
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  const database = locked(path);
  if (database !== null) held.push(database);
  return database !== null;
}

export function isFolderLocked(path: string): boolean {
  const database = locked(path);
  database?.close();
  return database === null;
}

export function lockedMessage(path: string): string {
  return `${path} is in use by a gateway, a move or a restore, perhaps in another container; stop it first`;
}

function locked(path: string): DatabaseSync | null {
  const database = new DatabaseSync(join(path, LOCK));
  try {
    // Keeps the journal in memory, so that no file is left in the folder. The transaction writes nothing, so there is nothing to roll back.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    if (/\b(locked|busy)\b/i.test((error as Error).message)) return null;
    throw error;
  }
}
