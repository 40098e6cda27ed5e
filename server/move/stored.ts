// Finds everything that the runtime stores for one connection: files and tables of workerd (objects) and Miniflare (D1, media).
import { createHash, createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { mediaPrefixOf } from "@gateway/domain/media/media-link.ts";

const ID_BYTES = 16;
const OBJECTS = "gateway-Connection";

export type Stored = {
  /** The object's database. It may be missing. */
  object: string;
  /** The database of all Connection objects' alarms. */
  alarms: string;
  /** The object's id, as used in the alarms' database. */
  id: string;
  d1: string;
  /** The database of all media files' names and metadata. */
  media: string;
  blobs: string;
};

export function findStored(storage: string, uuid: string): Stored {
  const id = objectId(OBJECTS, uuid);
  return {
    object: join(storage, "do", OBJECTS, `${id}.sqlite`),
    alarms: join(storage, "do", OBJECTS, "metadata.sqlite"),
    id,
    d1: d1Of(storage),
    media: join(storage, "r2", "miniflare-R2BucketObject", `${objectId("miniflare-R2BucketObject", "gateway-media")}.sqlite`),
    blobs: join(storage, "r2", "gateway-media", "blobs"),
  };
}

export function d1Of(storage: string): string {
  return join(storage, "d1", "miniflare-D1DatabaseObject", `${objectId("miniflare-D1DatabaseObject", "gateway")}.sqlite`);
}

/** Computes the same id as workerd's `idFromName` for a namespace with this unique key. */
function objectId(uniqueKey: string, name: string): string {
  const key = createHash("sha256").update(uniqueKey).digest();
  const mac = (text: string | Buffer) => createHmac("sha256", key).update(text).digest().subarray(0, ID_BYTES);
  const named = mac(name);
  return Buffer.concat([named, mac(named)]).toString("hex");
}

/** Runs `work` in one transaction. Afterwards, all data is in the database file itself, and there is no write-ahead log. */
export function inDatabase<Result>(file: string, work: (database: DatabaseSync) => Result): Result {
  if (!existsSync(file)) throw new Error(`${file} is missing`);
  const database = new DatabaseSync(file);
  try {
    begin(database, file);
    const result = work(database);
    database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    return result;
  } finally {
    database.close();
  }
}

/** Throws if another process has the file open. SQLite could not empty the log and would apply it to a file that replaces this one. */
function begin(database: DatabaseSync, file: string): void {
  try {
    database.exec("PRAGMA synchronous = FULL; PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE");
  } catch (error) {
    if (!/\b(locked|busy)\b/i.test((error as Error).message)) throw error;
    throw new Error(`${file} is in use by another process, such as a backup; repeat the command once it has ended`, { cause: error });
  }
}

export type MediaRow = Record<string, string | number | null> & { key: string; blob_id: string; size: number };

/** The connection's media files. Unfinished uploads have no blob. */
export function mediaOf({ media }: Stored, uuid: string): MediaRow[] {
  if (!existsSync(media)) return [];
  const day = mediaPrefixOf(uuid, "media/aaaa/");
  // In a file's key, the connection's mark follows the day. Only the mark is compared, because the day differs from file to file.
  const [from, mark] = [day.length - MARK_LETTERS + 1, day.slice(-MARK_LETTERS)];
  return inDatabase(media, (database) =>
    database.prepare(`SELECT * FROM _mf_objects WHERE substr(key, ${from}, ${MARK_LETTERS}) = ? AND blob_id IS NOT NULL`).all(mark),
  ) as MediaRow[];
}

/** The row of a file that is stored here, or null. A name is never used for two different files. */
export function listedFile({ media, blobs }: Stored, key: string): MediaRow | null {
  if (!existsSync(media)) return null;
  const row = inDatabase(media, (database) => database.prepare("SELECT * FROM _mf_objects WHERE key = ? AND blob_id IS NOT NULL").get(key));
  return row !== undefined && existsSync(join(blobs, String(row["blob_id"]))) ? (row as MediaRow) : null;
}

const MARK_LETTERS = 16;

/** Rewrites the file, so that deleted data is gone. */
export function compact(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA synchronous = FULL; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}
