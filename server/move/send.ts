// Moves a connection from this stopped gateway to a running one, at the edge or on another machine.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { linesOf, toParts } from "@gateway/domain/moving/object-database.ts";
import { parseJson } from "@gateway/protocol/json.ts";
import { writeAtomically } from "../files.ts";
import { type DataFolder, MOVES } from "../data-folder.ts";
import { leave, rowToMove } from "./export.ts";
import type { RemoteGateway } from "./remote-gateway.ts";
import type { MediaRow } from "./stored.ts";

export type Sending = { connection: string; owner: string | null };
/** `secretFile` has the KEY_SECRET that the other gateway needs, or is null if the connection's keys already work there. */
export type Sent = { uuid: string; keysWork: boolean; secretFile: string | null };

/** After an interruption, the same call resumes the move. Throws errors for the operator. */
export async function sendConnection(
  folder: DataFolder,
  remote: RemoteGateway,
  { connection, owner }: Sending,
  now: number,
): Promise<Sent> {
  const { KEY_SECRET: key_secret } = folder.secrets();
  const { row, away, departing } = rowToMove(folder.storage, connection);
  const asked = { id: randomUUID(), owner, parts: 0, keys: [], connection: row, key_secret, departing };
  // Everything that could prevent the move must be checked before the connection leaves.
  if (away === null) await remote.arrive(row.uuid, asked);
  const left = finished(leave(folder, { connection, to: remote.url }, now));
  const arriving = { ...asked, id: left.id, connection: left.row, keys: left.keys, departing: left.departing };
  let arrived = await remote.arrive(row.uuid, arriving);
  if (arrived.isFree) {
    for (const file of left.media) await remote.putFile(row.uuid, tokenOf(file), join(left.stored.blobs, file.blob_id), metadataOf(file));
    const parts = await putParts(remote, row.uuid, left.movingCopy);
    arrived = await remote.arrive(row.uuid, { ...arriving, parts });
  }
  if (arrived.isFree) throw new Error(`${remote.url} did not take the connection; repeat the command`);
  const secretFile = join(folder.path, MOVES, row.uuid, "KEY_SECRET");
  if (arrived.merged !== null) writeAtomically(secretFile, arrived.merged);
  return { uuid: row.uuid, keysWork: arrived.keysWork, secretFile: arrived.merged === null ? null : secretFile };
}

async function putParts(remote: RemoteGateway, uuid: string, movingCopy: string): Promise<number> {
  const object = new DatabaseSync(movingCopy, { readOnly: true });
  try {
    let number = 0;
    for (const part of toParts(linesOf(object))) await remote.putPart(uuid, number++, part);
    return number;
  } finally {
    object.close();
  }
}

const tokenOf = ({ key }: MediaRow) => key.slice(key.lastIndexOf("/") + 1);

function metadataOf({ http_metadata, custom_metadata }: MediaRow) {
  const [http, custom] = [http_metadata, custom_metadata].map((json) => parseJson(String(json)) as Record<string, string>);
  return { http: http ?? {}, custom: custom ?? {} };
}

export function finished<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
