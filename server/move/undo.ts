// Brings back a connection that left this machine for a running gateway but has not arrived there.
import { copyFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { WAITING_ROWS } from "@gateway/domain/moving/account-rows.ts";
import { COLUMNS, listStatements } from "@gateway/domain/moving/listed-connection.ts";
import { insertAll } from "@gateway/domain/moving/object-database.ts";
import type { DataFolder } from "../data-folder.ts";
import { flushToDisk, wholeOrDeleted } from "../files.ts";
import { leave, rowToMove } from "./export.ts";
import { wake } from "./import.ts";
import { gatewayUrl, type RemoteGateway } from "./remote-gateway.ts";
import { finished } from "./send.ts";
import { inDatabase } from "./stored.ts";

/** Returns the connection's UUID. After an interruption, the same call resumes the undo. Throws errors for the operator. */
export async function undoDeparture(
  folder: DataFolder,
  remoteAt: (url: string) => RemoteGateway,
  connection: string,
  now: number,
): Promise<string> {
  const { row, away } = rowToMove(folder.storage, connection);
  const { uuid } = row;
  if (away === null) throw new Error("the connection has not left this machine");
  const url = gatewayUrl(away.target);
  if (url === null)
    throw new Error(`the connection left in a file for ${away.target}, which cannot be asked whether it has it: import the file there`);
  const { movingCopy, stored, row: listed, departing } = finished(leave(folder, { connection, to: away.target }, now));
  const isCancelled = await remoteAt(url).cancel(uuid, away.id, departing.moves);
  if (!isCancelled) throw new Error(`the connection has arrived at ${url}; move it back with npm run import -- ${uuid} --from ${url}`);
  const returning = join(dirname(movingCopy), "returning.sqlite");
  wholeOrDeleted(returning, () => {
    copyFileSync(movingCopy, returning);
    restoreLeft(stored.object, returning);
    flushToDisk(returning);
  });
  inDatabase(stored.d1, (d1) => {
    const owner = { id: String(row["owner_id"]), isPresent: true };
    const columns = d1
      .prepare(COLUMNS)
      .all()
      .map(({ name }) => String(name));
    for (const { sql, values } of listStatements({ uuid, connection: listed, owner, columns, now })) d1.prepare(sql).run(...values);
  });
  // After this line, the connection is back.
  renameSync(returning, stored.object);
  flushToDisk(dirname(stored.object));
  wake(stored, uuid, now);
  rmSync(dirname(movingCopy), { recursive: true, force: true });
  return uuid;
}

/** Restores what the moved copy does not contain: D1's record with the proxy, and the account's webhooks with their waiting deliveries. */
function restoreLeft(tombstone: string, returning: string): void {
  type Rows = Record<string, string | number | null>[];
  const left = inDatabase(tombstone, (object) => ({
    identity: object.prepare("SELECT record, proxy FROM identity").get(),
    rows: [...WAITING_ROWS.keys()].map((table) => ({ table, rows: object.prepare(`SELECT * FROM ${table}`).all() as Rows })),
  }));
  inDatabase(returning, (object) => {
    const { record, proxy } = left.identity as { record: string; proxy: Uint8Array | null };
    object.prepare("UPDATE identity SET record = ?, proxy = ?").run(record, proxy);
    for (const { table, rows } of left.rows) insertAll(object, table, rows);
  });
}
