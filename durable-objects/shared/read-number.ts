/** Reads the only value of a query such as `SELECT min(due_at) FROM upload`. */
export function readNumber(sql: SqlStorage, query: string, ...bindings: SqlStorageValue[]): number | null {
  return Object.values(sql.exec<Record<string, number | null>>(query, ...bindings).one())[0] ?? null;
}

/** Counts rows. `rows` is a table, with conditions: `delivery WHERE due_at IS NOT NULL`. */
export function countRows(sql: SqlStorage, rows: string, ...bindings: SqlStorageValue[]): number {
  return readNumber(sql, `SELECT count(*) FROM ${rows}`, ...bindings) ?? 0;
}
