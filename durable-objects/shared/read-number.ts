/** Reads the only value of a query such as `SELECT min(due_at) FROM upload`. */
export function readNumber(sql: SqlStorage, query: string, ...bindings: SqlStorageValue[]): number | null {
  return Object.values(sql.exec<Record<string, number | null>>(query, ...bindings).one())[0] ?? null;
}
