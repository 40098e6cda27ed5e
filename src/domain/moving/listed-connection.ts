// How a moved connection is entered in D1. The same statements run on a single machine's database file and through the worker's binding.
type Value = string | number | null;
export type ConnectionRow = Record<string, Value>;
export type Statement = { sql: string; values: Value[] };

export const PRESENT = "SELECT owner_id, removed_at FROM connection WHERE uuid = ?";
export const ACCOUNT = `SELECT user.id, COALESCE(max_instances, 0) AS most, COALESCE(connections, 0) AS owned FROM user
  LEFT JOIN subscription ON subscription.user_id = user.id LEFT JOIN connection_count ON owner_id = user.id
  WHERE email = lower(?) AND user.status = 'active'`;
export const COLUMNS = "SELECT name FROM pragma_table_info('connection')";

type FoundRow = Record<string, unknown> | null | undefined;
export type Owner = { ok: true; id: string; isPresent: boolean } | { ok: false; problem: string };

/** `present` and `account` are the rows that the two queries returned. `email` is null for a connection that returns to its account. */
export function ownerOf(present: FoundRow, account: FoundRow, email: string | null): Owner {
  if (present) {
    if (present["removed_at"] !== null) return no("the gateway is deleting the connection here; wait until it is gone");
    return { ok: true, id: String(present["owner_id"]), isPresent: true };
  }
  if (email === null) return no("the connection is new here: name its account with --owner EMAIL");
  if (!account) return no(`--owner: there is no active account ${email}`);
  const { id, most, owned } = account;
  if (Number(owned) >= Number(most)) return no(`--owner: ${email} may have ${String(most)} connections and has ${String(owned)}`);
  return { ok: true, id: String(id), isPresent: false };
}

const no = (problem: string) => ({ ok: false as const, problem });

export type Listing = {
  uuid: string;
  connection: ConnectionRow;
  owner: { id: string; isPresent: boolean };
  columns: readonly string[];
  now: number;
};

/** Enters the connection as pending, so that the watchdog sends the object its record and webhook endpoints here. */
export function listStatements({ uuid, connection, owner, columns, now }: Listing): Statement[] {
  const { id = null, name = "", metadata = "{}", settings = "{}" } = connection;
  const endpoints = {
    sql: `INSERT INTO endpoint_set (user_id, revision, changed_at) VALUES (?1, 1, 0)
      ON CONFLICT (user_id) DO UPDATE SET revision = revision + 1, changed_at = 0`,
    values: [owner.id],
  };
  if (owner.isPresent) {
    const sql = `UPDATE connection SET name = ?, metadata = ?, settings = ?, updated_at = ?, pending_revision = ${PENDING} WHERE uuid = ?`;
    return [{ sql, values: [name, metadata, settings, now, uuid] }, endpoints];
  }
  const row: ConnectionRow = { ...connection, owner_id: owner.id, proxy_id: null, home: null, updated_at: now };
  const known = columns.filter((column) => column in row && column !== "id" && column !== "pending_revision");
  // The numeric id is part of the Dashboard API's paths, so the connection keeps it if it is free here.
  const insert = {
    sql: `INSERT OR IGNORE INTO connection (id, pending_revision, ${known.join(", ")})
      VALUES (CASE WHEN EXISTS (SELECT 1 FROM connection WHERE id = ?1) THEN NULL ELSE ?1 END, ${PENDING},
      ${known.map((_, place) => `?${place + 2}`).join(", ")})`,
    values: [id, ...known.map((column) => row[column] ?? null)],
  };
  return [insert, endpoints];
}

const PENDING = "COALESCE((SELECT revision FROM record_revision), 0)";

/** Called before the object ends the session for a move. If the move is interrupted after that, the watchdog restores the object. */
export function markPending(uuid: string): Statement {
  return { sql: `UPDATE connection SET pending_revision = ${PENDING} WHERE uuid = ?`, values: [uuid] };
}

const MOVED = " (moved)";

export function markMoved(uuid: string): Statement {
  const sql = `UPDATE connection SET name = name || ?1, pending_revision = ${PENDING} WHERE uuid = ?2 AND name NOT LIKE '%' || ?1`;
  return { sql, values: [MOVED, uuid] };
}

export const unmarked = (name: string) => (name.endsWith(MOVED) ? name.slice(0, -MOVED.length) : name);
