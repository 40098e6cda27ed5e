// Moves a connection from a running gateway, at the edge or on another machine, into this stopped one.
import { createHash, randomBytes } from "node:crypto";
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { mediaKey } from "@gateway/domain/media/media-link.ts";
import { refusalOf } from "@gateway/domain/moving/departing.ts";
import { unmarked } from "@gateway/domain/moving/listed-connection.ts";
import { linesIn, rebuild } from "@gateway/domain/moving/object-database.ts";
import { type DataFolder, formatProblem, MOVES } from "../data-folder.ts";
import { makeDirectory } from "../files.ts";
import { FORMAT } from "../format.ts";
import { ownAddress } from "./address.ts";
import { type Arrived, ownerIn, placeFor, take } from "./import.ts";
import { KNOWN_SCHEMA } from "./known-schema.ts";
import type { RemoteGateway } from "./remote-gateway.ts";
import { finished } from "./send.ts";
import { inDatabase, listedFile, type MediaRow, findStored } from "./stored.ts";

export type Fetching = { connection: string; owner: string | null };

/** After an interruption, the same call resumes the move. Throws errors for the operator. */
export async function fetchConnection(
  folder: DataFolder,
  remote: RemoteGateway,
  { connection, owner }: Fetching,
  now: number,
): Promise<Arrived> {
  const { uuid, name, ...found } = await remote.find(connection);
  if (uuid !== connection) {
    const meant = `${connection} is "${unmarked(name)}" there, which may be another connection than ${connection} here`;
    throw new Error(`${remote.url}: ${meant}; if you mean it, name it by its UUID: ${uuid}`);
  }
  // Everything that could prevent the move must be checked before the connection leaves the other gateway.
  const format = JSON.stringify({ format: FORMAT, migrations: await remote.migrations() });
  const problem = formatProblem(format);
  if (problem !== null) throw new Error(`${remote.url}: ${problem}`);
  const newer = refusalOf({ ...found.departing, bytes: null }, KNOWN_SCHEMA);
  if (newer !== null) throw new Error(`${remote.url}: ${newer}`);
  const stored = findStored(folder.storage, uuid);
  inDatabase(stored.d1, (d1) => ownerIn(d1, uuid, owner));
  placeFor(stored, found.away?.id ?? null, (id) => found.departing.moves.includes(id));
  const departed = await remote.depart(uuid, ownAddress(folder.path));
  const fetched = join(folder.path, MOVES, `fetched-${uuid}`);
  rmSync(fetched, { recursive: true, force: true });
  makeDirectory(fetched);
  try {
    const object = join(fetched, "object.sqlite");
    await fetchObject(remote, uuid, departed.parts, fetched, object);
    const media: MediaRow[] = [];
    for (const token of departed.media)
      media.push(listedFile(stored, mediaKey(token)) ?? (await fetchFile(remote, uuid, token, fetched, now)));
    const manifest = {
      uuid,
      format,
      connection: { ...departed.connection, name: unmarked(String(departed.connection["name"])) },
      media,
      data_keys: departed.keys,
      key_secret: departed.key_secret,
      files: [],
    };
    const extract = (name: string, target: string) => copyFileSync(join(fetched, name === "object" ? "object.sqlite" : name), target);
    const arrived = finished(take(folder, { id: departed.id, manifest, extract, close: () => undefined }, remote.url, owner, now));
    await remote.dropParts(uuid);
    return arrived;
  } finally {
    rmSync(fetched, { recursive: true, force: true });
  }
}

async function fetchObject(remote: RemoteGateway, uuid: string, parts: number, folder: string, object: string): Promise<void> {
  const fileOf = (number: number) => join(folder, `part-${number}`);
  for (let number = 0; number < parts; number++) writeFileSync(fileOf(number), await remote.part(uuid, number), { mode: 0o600 });
  new DatabaseSync(object).close();
  inDatabase(object, (database) => rebuild(database, linesIn(filesFrom(parts, fileOf))));
}

function* filesFrom(count: number, fileOf: (number: number) => string): Generator<Uint8Array> {
  for (let number = 0; number < count; number++) yield readFileSync(fileOf(number));
}

/** Returns the row by which the local media store lists the file. */
async function fetchFile(remote: RemoteGateway, uuid: string, token: string, folder: string, now: number): Promise<MediaRow> {
  const blob = randomBytes(40).toString("hex");
  const file = join(folder, blob);
  const { http, custom } = await remote.saveFile(uuid, token, file);
  return {
    key: mediaKey(token),
    blob_id: blob,
    version: randomBytes(16).toString("hex"),
    size: statSync(file).size,
    etag: createHash("md5").update(readFileSync(file)).digest("hex"),
    uploaded: now,
    checksums: "{}",
    http_metadata: JSON.stringify(http),
    custom_metadata: JSON.stringify(custom),
  };
}
