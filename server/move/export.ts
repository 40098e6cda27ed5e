// Moves a connection out of a stopped gateway. After the "left" step, this machine can no longer connect the number.
import { randomUUID } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type DataFolder, MOVES } from "../data-folder.ts";
import { canWriteBeside, flushToDisk, makeDirectory, wholeOrDeleted } from "../files.ts";
import { type Departing, departing } from "@gateway/domain/moving/departing.ts";
import { markMoved, unmarked } from "@gateway/domain/moving/listed-connection.ts";
import { type Away, awayOf, lastDeparture, makeTombstone, makeMovingCopy, removeAccountRows } from "@gateway/domain/moving/moved-object.ts";
import { writePackage } from "./package-file.ts";
import { dataKeysOf } from "./sealing.ts";
import { compact, d1Of, inDatabase, type MediaRow, mediaOf, type Stored, findStored } from "./stored.ts";

export type Departure = {
  /** A connection's id or UUID. */
  connection: string;
  /** The new machine's address, or the URL of a gateway. */
  to: string;
};

type ConnectionRow = Record<string, string | number | null> & { id: number; uuid: string; kind: string; removed_at: number | null };

export type Departed = {
  id: string;
  row: ConnectionRow;
  departing: Departing;
  /** Path of the database that moves. */
  movingCopy: string;
  stored: Stored;
  media: MediaRow[];
  /** The decrypted keys of the object. */
  keys: { name: string; key: string }[];
};

/**
 * Yields after each step that is on disk. If the process is killed between two steps, the session is either still here or in the copy
 * that moves, and the same call continues the move. A repeated call returns the same result, but only for the same target.
 */
export function* leave(folder: DataFolder, { connection, to }: Departure, now: number): Generator<"copied" | "left", Departed> {
  const row = findConnection(folder.storage, connection);
  const stored = findStored(folder.storage, row.uuid);
  const kept = join(folder.path, MOVES, row.uuid);
  const movingCopy = join(kept, "object.sqlite");
  let away = inDatabase(stored.object, awayOf);
  if (away === null) {
    const earlier = inDatabase(stored.object, lastDeparture);
    if (earlier !== null && existsSync(movingCopy)) {
      const repeat = `delete the folder if the connection works there, and repeat the command`;
      throw new Error(`the number was paired here again, and ${kept} holds what left for ${earlier.target}: ${repeat}`);
    }
    away = { id: randomUUID(), target: to };
    const leaving = away;
    const tombstone = wholeOrDeleted(kept, () => copyOf(stored, kept, movingCopy, leaving, now));
    yield "copied";
    // After this line, the connection has left. Earlier steps can be repeated, and later ones only finish the move.
    renameSync(tombstone, stored.object);
    flushToDisk(dirname(stored.object));
    yield "left";
  }
  if (away.target !== to) throw new Error(`the connection has moved to ${away.target}; only that gateway can have it`);
  if (!existsSync(movingCopy)) throw new Error(`the connection has moved to ${away.target}, and ${kept} was deleted`);
  const { sql, values } = markMoved(row.uuid);
  inDatabase(stored.d1, (d1) => d1.prepare(sql).run(...values));
  const { STATE_SECRET } = folder.secrets();
  const keys = inDatabase(movingCopy, (object) => dataKeysOf(object, STATE_SECRET, row.uuid));
  return {
    id: away.id,
    row: { ...row, name: unmarked(String(row["name"])) },
    departing: inDatabase(movingCopy, (object) => departing(object, null)),
    movingCopy,
    stored,
    media: mediaOf(stored, row.uuid).filter(({ blob_id }) => existsSync(join(stored.blobs, blob_id))),
    keys: keys.map(({ name, key }) => ({ name, key: key.toString("base64") })),
  };
}

/** Writes the connection to a file that only the machine with the address `to` can open. */
export function* exportConnection(
  folder: DataFolder,
  { file, ...departure }: Departure & { file: string },
  now: number,
): Generator<"copied" | "left" | "written"> {
  if (!canWriteBeside(file)) throw new Error(`--file: ${file} cannot be written`);
  const { id, row, movingCopy, stored, media, keys } = yield* leave(folder, departure, now);
  writePackage(file, id, departure.to, {
    uuid: row.uuid,
    format: readFileSync(join(folder.path, "format"), "utf8"),
    connection: row,
    media,
    data_keys: keys,
    key_secret: folder.secrets().KEY_SECRET,
    files: [{ name: "object", path: movingCopy }, ...media.map(({ blob_id }) => ({ name: blob_id, path: join(stored.blobs, blob_id) }))],
  });
  yield "written";
}

/** Makes two copies: the connection to move and the data that stays behind. Returns the path of the second. */
function copyOf(stored: Stored, kept: string, movingCopy: string, away: Away, now: number): string {
  rmSync(kept, { recursive: true, force: true });
  makeDirectory(kept);
  const tombstone = join(kept, "tombstone.sqlite");
  copyFileSync(stored.object, movingCopy);
  inDatabase(movingCopy, (object) => makeMovingCopy(object, away.id, now));
  copyFileSync(movingCopy, tombstone);
  inDatabase(movingCopy, removeAccountRows);
  compact(movingCopy);
  const identity = inDatabase(stored.object, (object) => object.prepare("SELECT record, proxy FROM identity").get());
  inDatabase(tombstone, (object) => {
    makeTombstone(object, away, now);
    // Keeps D1's record, so that the connection uses the same proxy if it comes back. The moving copy does not contain the record.
    object
      .prepare("UPDATE identity SET record = ?, proxy = ?")
      .run(String(identity?.["record"]), (identity?.["proxy"] ?? null) as Uint8Array | null);
  });
  // Otherwise, deleted rows could still be read from the file.
  compact(tombstone);
  for (const file of [movingCopy, tombstone, kept]) flushToDisk(file);
  return tombstone;
}

/** `away` is the move that took the connection away from here. */
export function rowToMove(storage: string, connection: string): { row: ConnectionRow; away: Away | null; departing: Departing } {
  const row = findConnection(storage, connection);
  const { object: file } = findStored(storage, row.uuid);
  const away = inDatabase(file, awayOf);
  return { row, away, departing: inDatabase(file, (object) => departing(object, statSync(file).size)) };
}

function findConnection(storage: string, connection: string): ConnectionRow {
  const row = inDatabase(d1Of(storage), (d1) =>
    d1.prepare("SELECT * FROM connection WHERE uuid = ?1 OR CAST(id AS TEXT) = ?1").get(connection),
  ) as ConnectionRow | undefined;
  if (row === undefined || row.removed_at !== null) {
    const copy = join(storage, "..", MOVES, row?.uuid ?? connection);
    const left = existsSync(join(copy, "object.sqlite")) ? `: it was deleted here after it left, and ${copy} still holds it` : "";
    throw new Error(`there is no connection ${connection}${left}`);
  }
  if (row.kind !== "session") throw new Error("only paired numbers can move; create the Cloud API number again on the new machine");
  return row;
}
