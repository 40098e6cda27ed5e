// The changes that a move makes in an object's database. The object ignores the two tables that are added here.
import { type InstanceState, wantsSession } from "../instance/state.ts";
import { ACCOUNT_ROWS, WAITING_ROWS } from "./account-rows.ts";
import { isPartOfSearch, type ObjectDatabase, PARTS } from "./object-database.ts";

/** `gateway_move` lists all moves. `gateway_away` has the last one that took the connection away, unless it has come back. */
const TABLES = `CREATE TABLE IF NOT EXISTS gateway_move (id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS gateway_away (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, target TEXT NOT NULL)`;

/** Tables that stay behind: name, keys and stored responses. They let the old gateway answer callers clearly. */
const LEFT = new Set([
  "schema_version",
  "identity",
  "data_key",
  "instance",
  "api_key",
  "replay",
  "gateway_move",
  "gateway_away",
  "delivery_upkeep",
  PARTS,
]);

export type Away = { id: string; target: string };

/** Also returns null if the number has since been paired here again, because that session belongs to this gateway. */
export function awayOf(object: ObjectDatabase): Away | null {
  return stateOf(object)?.paired === true ? null : lastDeparture(object);
}

export function lastDeparture(object: ObjectDatabase): Away | null {
  if (!hasTable(object, "gateway_away")) return null;
  return (object.prepare("SELECT id, target FROM gateway_away").get() as Away | undefined) ?? null;
}

export function hasMoved(object: ObjectDatabase, id: string): boolean {
  return hasTable(object, "gateway_move") && object.prepare("SELECT 1 FROM gateway_move WHERE id = ?").get(id) !== undefined;
}

/** False for an object that was never used or whose connection was deleted. */
export function holdsConnection(object: ObjectDatabase): boolean {
  return hasTable(object, "identity") && object.prepare("SELECT 1 FROM identity").get() !== undefined;
}

/** Prepares a copy for the new machine. There, the session starts under a new generation once the object runs. */
export function makeMovingCopy(object: ObjectDatabase, id: string, now: number): void {
  object.exec(TABLES);
  object.prepare("INSERT INTO gateway_move (id, at) VALUES (?, ?)").run(id, now);
  object.exec("DELETE FROM gateway_away");
  // These rows mirror the old machine's D1 and pool. The new machine pushes its own data.
  object.exec("DELETE FROM ticket; DELETE FROM noted; DELETE FROM account_endpoints");
  object.exec("UPDATE identity SET record = json_set(record, '$.revision', 0, '$.home', NULL, '$.proxy_url', NULL), proxy = NULL");
  changeState(object, (state) => (wantsSession(state) ? { ...state, lease: { phase: "detached", since: 0 } } : state));
}

/** Deletes the account's webhooks from a moving copy. Not needed if the exported lines omit them. */
export function removeAccountRows(object: ObjectDatabase): void {
  for (const [table, condition] of ACCOUNT_ROWS) object.exec(`DELETE FROM ${table} WHERE ${condition}`);
}

/** Prepares the copy that stays behind. It has no credentials and never starts a session by itself. */
export function makeTombstone(object: ObjectDatabase, away: Away, now: number): void {
  for (const [table, condition] of WAITING_ROWS) object.exec(`DELETE FROM ${table} WHERE NOT (${condition})`);
  const tables = object.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'").all();
  for (const { name } of tables) {
    const table = String(name);
    if (!LEFT.has(table) && !WAITING_ROWS.has(table) && !isPartOfSearch(table, tables) && !table.startsWith("_cf_"))
      object.exec(`DELETE FROM "${table}"`);
  }
  object.exec("DELETE FROM replay WHERE answer IS NULL");
  object.prepare("INSERT OR REPLACE INTO gateway_away (one, id, target) VALUES (1, ?, ?)").run(away.id, away.target);
  changeState(object, (state) => withoutSession(state, now));
}

function withoutSession(state: InstanceState, now: number): InstanceState {
  const { generation, announced } = state;
  return {
    ...state,
    status: "disconnected",
    reason: "manual",
    changedAt: now,
    generation: generation + 1,
    lease: { phase: "none" },
    paired: false,
    phone: null,
    qr: null,
    passkey: null,
    reconnect: null,
    outage: null,
    restriction: null,
    syncing: false,
    connectedAt: null,
    droppedAt: null,
    unpaidSince: null,
    held: false,
    announced: { ...announced, status: "disconnected", reason: "manual" },
  };
}

export function stateOf(object: ObjectDatabase): InstanceState | null {
  if (!hasTable(object, "instance")) return null;
  const row = object.prepare("SELECT state FROM instance").get();
  return row === undefined ? null : (JSON.parse(String(row["state"])) as InstanceState);
}

export function changeState(object: ObjectDatabase, change: (state: InstanceState) => InstanceState): void {
  const state = stateOf(object);
  if (state !== null) object.prepare("UPDATE instance SET state = ?").run(JSON.stringify(change(state)));
}

function hasTable(object: ObjectDatabase, name: string): boolean {
  return object.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(name) !== undefined;
}
