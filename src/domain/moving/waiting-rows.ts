// Account deliveries that wait at the gateway that a connection left. A returning connection gets them back under their old ids.
import { WAITING_ROWS } from "./account-rows.ts";
import { insertAll, type ObjectDatabase } from "./object-database.ts";

export type WaitingRows = readonly { table: string; rows: Record<string, unknown>[] }[];

/** Selects only rows from before the connection left, because the returning connection may have used the ids of later rows. */
const LEFT_AT = "(SELECT at FROM gateway_move WHERE id = (SELECT id FROM gateway_away))";

/** `tombstone` is the database of the connection that left (`makeTombstone`). */
export function waitingRows(tombstone: ObjectDatabase): WaitingRows {
  return [...WAITING_ROWS].map(([table, condition]) => {
    const rows = tombstone.prepare(`SELECT * FROM ${table} WHERE (${condition}) AND created_at <= ${LEFT_AT}`).all();
    return { table, rows: table === "delivery" ? rows.map(againDue) : rows };
  });
}

export function addWaitingRows(returning: ObjectDatabase, waiting: WaitingRows): void {
  for (const { table, rows } of waiting) insertAll(returning, table, rows);
}

const IN_FLIGHT = 2;
const [FRESH, RETRY] = [0, 1];

/** Makes the delivery due again, because the object looks for interrupted attempts only among its newest rows. */
function againDue(row: Record<string, unknown>): Record<string, unknown> {
  if (row["state"] !== IN_FLIGHT) return row;
  return { ...row, state: row["failures"] === 0 ? FRESH : RETRY, due_at: row["due_at"] ?? row["created_at"] };
}
