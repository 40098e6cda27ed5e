// Moves a connection into a stopped gateway.
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type DataFolder, formatProblem, MOVES } from "../data-folder.ts";
import { flushToDisk, makeDirectory } from "../files.ts";
import { ownAddress } from "./address.ts";
import { KNOWN_SCHEMA } from "./known-schema.ts";
import { adoptKeySecret } from "./key-secret.ts";
import { departing, refusalOf } from "@gateway/domain/moving/departing.ts";
import { ACCOUNT, COLUMNS, listStatements, ownerOf, PRESENT } from "@gateway/domain/moving/listed-connection.ts";
import { awayOf, hasMoved, holdsConnection } from "@gateway/domain/moving/moved-object.ts";
import { insertAll } from "@gateway/domain/moving/object-database.ts";
import { addWaitingRows, waitingRows } from "@gateway/domain/moving/waiting-rows.ts";
import { type Manifest, type OpenedPackage, openPackage } from "./package-file.ts";
import { adoptDataKeys } from "./sealing.ts";
import { inDatabase, type Stored, findStored } from "./stored.ts";

/** `owner` is the email address of an account on this machine, or null for a connection that returns to its account. */
export type Arrival = { file: string; owner: string | null };
/** `keysWork` is false if the connection's API keys must be replaced. */
export type Arrived = { uuid: string; keysWork: boolean };

type Step = "media" | "object" | "listed";

/** Yields after each step that is on disk. If the process is killed, the same call resumes the import. Throws errors for the operator. */
export function* importConnection(folder: DataFolder, { file, owner }: Arrival, now: number): Generator<Step, Arrived> {
  if (!existsSync(file)) throw new Error(`${file} does not exist`);
  return yield* take(folder, openPackage(file, folder.path, ownAddress(folder.path)), file, owner, now);
}

/** Like `importConnection`, but for a connection that another gateway has handed over. `from` is that gateway's name for the operator. */
export function* take(
  folder: DataFolder,
  opened: OpenedPackage,
  from: string,
  owner: string | null,
  now: number,
): Generator<Step, Arrived> {
  const { manifest } = opened;
  const stored = findStored(folder.storage, manifest.uuid);
  const arriving = join(folder.path, MOVES, `arriving-${manifest.uuid}`);
  try {
    const problem = formatProblem(manifest.format);
    if (problem !== null) throw new Error(`${from}: ${problem}`);
    inDatabase(stored.d1, (d1) => ownerIn(d1, manifest.uuid, owner));
    rmSync(arriving, { recursive: true, force: true });
    makeDirectory(arriving);
    const object = join(arriving, "object.sqlite");
    opened.extract("object", object);
    const newer = inDatabase(object, (database) => refusalOf(departing(database, null), KNOWN_SCHEMA));
    if (newer !== null) throw new Error(`${from}: ${newer}`);
    const place = placeFor(stored, opened.id, (id) => inDatabase(object, (database) => hasMoved(database, id)));
    const keysWork = adoptKeySecret(folder.path, manifest.key_secret);
    takeMedia(stored, opened, arriving);
    yield "media";
    if (place === "free") {
      const waiting = existsSync(stored.object) ? inDatabase(stored.object, waitingHere) : [];
      inDatabase(object, (movingCopy) => {
        adoptDataKeys(movingCopy, folder.secrets().STATE_SECRET, manifest.uuid, manifest.data_keys);
        addWaitingRows(movingCopy, waiting);
      });
      flushToDisk(object);
      makeDirectory(dirname(stored.object));
      renameSync(object, stored.object);
      flushToDisk(dirname(stored.object));
    }
    yield "object";
    inDatabase(stored.d1, (d1) => list(d1, manifest, ownerIn(d1, manifest.uuid, owner), now));
    wake(stored, manifest.uuid, now);
    yield "listed";
    // Deletes the files that an earlier move away left here, because they are older than the arriving connection.
    rmSync(join(folder.path, MOVES, manifest.uuid), { recursive: true, force: true });
    return { uuid: manifest.uuid, keysWork };
  } finally {
    rmSync(arriving, { recursive: true, force: true });
    opened.close();
  }
}

/** Deliveries to the account that waited here for the connection to return. */
const waitingHere = (object: DatabaseSync) => (awayOf(object) === null ? [] : waitingRows(object));

/**
 * `taken` means that an interrupted import of this move has already put the object in place. `id` is null before the connection has left.
 * `wasMoved` says whether the arriving connection was part of a move. Throws if the existing object must stay.
 */
export function placeFor({ object }: Stored, id: string | null, wasMoved: (id: string) => boolean): "free" | "taken" {
  if (!existsSync(object)) return "free";
  // Also empties the write-ahead log, because it must not be applied to the new file.
  const here = inDatabase(object, (database) => ({
    away: awayOf(database),
    isImported: id !== null && hasMoved(database, id),
    isUsed: holdsConnection(database),
  }));
  if (here.away === null) {
    if (here.isImported) return "taken";
    if (here.isUsed) throw new Error("this machine already has the connection");
    return "free";
  }
  const { away } = here;
  if (away.id === id || !wasMoved(away.id))
    throw new Error("the file is older than the connection's last move from here; import the file of the machine that has it now");
  return "free";
}

function takeMedia({ media, blobs }: Stored, opened: OpenedPackage, arriving: string): void {
  const { manifest } = opened;
  if (manifest.media.length === 0) return;
  const missing = new Set<string>();
  // The store never deletes a file that no row lists, so every file is extracted before the first is moved there.
  for (const { blob_id: blob } of manifest.media) {
    if (typeof blob !== "string" || !/^[0-9a-f]+$/.test(blob)) throw new Error("the file names a medium that cannot be one");
    if (existsSync(join(blobs, blob))) continue;
    opened.extract(blob, join(arriving, blob));
    flushToDisk(join(arriving, blob));
    missing.add(blob);
  }
  mkdirSync(blobs, { recursive: true });
  for (const blob of missing) renameSync(join(arriving, blob), join(blobs, blob));
  flushToDisk(blobs);
  inDatabase(media, (database) => insertAll(database, "_mf_objects", manifest.media));
}

type Owner = { id: string; isPresent: boolean };

/** Throws if the account cannot have the connection. */
export function ownerIn(d1: DatabaseSync, uuid: string, email: string | null): Owner {
  const owner = ownerOf(d1.prepare(PRESENT).get(uuid), d1.prepare(ACCOUNT).get(email), email);
  if (!owner.ok) throw new Error(owner.problem);
  return owner;
}

function list(d1: DatabaseSync, { uuid, connection }: Manifest, owner: Owner, now: number): void {
  const columns = d1
    .prepare(COLUMNS)
    .all()
    .map(({ name }) => String(name));
  for (const { sql, values } of listStatements({ uuid, connection, owner, columns, now })) d1.prepare(sql).run(...values);
}

/** Makes the object start together with the gateway, instead of at the watchdog's next run. */
export function wake({ alarms, id }: Stored, uuid: string, now: number): void {
  inDatabase(alarms, (database) =>
    database
      .prepare("INSERT OR REPLACE INTO _cf_ALARM (actor_id, scheduled_time, actor_name) VALUES (?, ?, ?)")
      .run(id, BigInt(now) * 1_000_000n, uuid),
  );
}
