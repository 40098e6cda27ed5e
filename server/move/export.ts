// Moves a connection out of a stopped gateway. From the step "left" on, this machine can no longer connect the number.
import { randomUUID } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DataFolder } from "../data-folder.ts";
import { canWriteBeside, flushToDisk, makeDirectory } from "../files.ts";
import { type Away, awayOf, dataKeysOf, makeRemains, makeTraveller } from "./moved-object.ts";
import { writePackage } from "./package-file.ts";
import { compact, d1Of, inDatabase, mediaOf, type Stored, storedOf } from "./stored.ts";

export const MOVES = "moves";
const MOVED = " (moved)";

export type Departure = {
  /** A connection's id or UUID. */
  connection: string;
  /** The new machine's address. */
  to: string;
  file: string;
};

type Row = Record<string, string | number | null> & { id: number; uuid: string; kind: string; removed_at: number | null };

/**
 * Yields after each step that is on disk. A kill between two steps leaves the session either here or in the file, and the same call
 * continues. Once the connection has left, the call writes the file again, for the same machine only. Throws errors for the operator.
 */
export function* exportConnection(
  folder: DataFolder,
  { connection, to, file }: Departure,
  now: number,
): Generator<"copied" | "left" | "written"> {
  if (!canWriteBeside(file)) throw new Error(`--file: ${file} cannot be written`);
  const row = rowOf(folder.storage, connection);
  const stored = storedOf(folder.storage, row.uuid);
  const kept = join(folder.path, MOVES, row.uuid);
  const traveller = join(kept, "object.sqlite");
  let away = inDatabase(stored.object, awayOf);
  if (away === null) {
    away = { id: randomUUID(), target: to };
    const remains = copyOf(stored, kept, traveller, away, now);
    yield "copied";
    // From here on the connection has left. Steps before this line can be repeated; later ones only finish the move.
    renameSync(remains, stored.object);
    flushToDisk(dirname(stored.object));
    yield "left";
  }
  if (away.target !== to) throw new Error(`the connection has moved to ${away.target}; only that machine can export it again`);
  if (!existsSync(traveller)) throw new Error(`the connection has moved to ${away.target}, and ${kept} was deleted`);
  markMoved(stored, row.uuid);
  const media = mediaOf(stored, row.uuid).filter(({ blob_id }) => existsSync(join(stored.blobs, blob_id)));
  const { STATE_SECRET, KEY_SECRET } = folder.secrets();
  const keys = inDatabase(traveller, (object) => dataKeysOf(object, STATE_SECRET, row.uuid));
  writePackage(file, away.id, to, {
    uuid: row.uuid,
    format: readFileSync(join(folder.path, "format"), "utf8"),
    connection: { ...row, name: unmarked(String(row["name"])) },
    media,
    data_keys: keys.map(({ name, key }) => ({ name, key: key.toString("base64") })),
    key_secret: KEY_SECRET,
    files: [{ name: "object", path: traveller }, ...media.map(({ blob_id }) => ({ name: blob_id, path: join(stored.blobs, blob_id) }))],
  });
  yield "written";
}

/** Makes two copies: the connection to move and the data that stays behind. Returns the path of the second. */
function copyOf(stored: Stored, kept: string, traveller: string, away: Away, now: number): string {
  rmSync(kept, { recursive: true, force: true });
  makeDirectory(kept);
  const remains = join(kept, "remains.sqlite");
  copyFileSync(stored.object, traveller);
  inDatabase(traveller, (object) => makeTraveller(object, away.id, now));
  copyFileSync(traveller, remains);
  inDatabase(remains, (object) => makeRemains(object, away, now));
  // Deleted rows would otherwise stay readable in the file.
  compact(remains);
  for (const file of [traveller, remains, kept]) flushToDisk(file);
  return remains;
}

function rowOf(storage: string, connection: string): Row {
  const row = inDatabase(d1Of(storage), (d1) =>
    d1.prepare("SELECT * FROM connection WHERE uuid = ?1 OR CAST(id AS TEXT) = ?1").get(connection),
  ) as Row | undefined;
  if (row === undefined || row.removed_at !== null) throw new Error(`there is no connection ${connection}`);
  if (row.kind !== "session") throw new Error("only paired numbers can move; create the Cloud API number again on the new machine");
  return row;
}

/** Shows the move in the dashboard's list. The name reaches the object once the gateway runs. */
function markMoved({ d1 }: Stored, uuid: string): void {
  inDatabase(d1, (database) =>
    database
      .prepare(
        `UPDATE connection SET name = name || ?, pending_revision = COALESCE((SELECT revision FROM record_revision), 0)
         WHERE uuid = ? AND name NOT LIKE '%' || ?`,
      )
      .run(MOVED, uuid, MOVED),
  );
}

const unmarked = (name: string) => (name.endsWith(MOVED) ? name.slice(0, -MOVED.length) : name);
