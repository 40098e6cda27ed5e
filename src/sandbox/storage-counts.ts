// Counts the statements and rows of all storages since the worker started (`GET /sandbox/storage`).

type Rows = { read: number; written: number };
type Part = "pool" | "connections";

const statements = { prepared: 0 };
const rows: Record<Part, Rows> = { pool: { read: 0, written: 0 }, connections: { read: 0, written: 0 } };

export function storageCounts(): { d1_statements: number; rows: Record<Part, Rows> } {
  return { d1_statements: statements.prepared, rows };
}

/** Assumes that each statement is prepared and run exactly once. */
export function countedD1(db: D1Database): D1Database {
  return new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (name === "prepare") statements.prepared += 1;
        return (value as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

/** A statement is counted when the next one starts, because only then does its cursor know the row count. */
export function countRows(part: Part, { storage }: DurableObjectState): void {
  const { sql } = storage;
  const exec = sql.exec.bind(sql);
  let last: SqlStorageCursor<Record<string, SqlStorageValue>> | null = null;
  sql.exec = ((query: string, ...bindings: SqlStorageValue[]) => {
    rows[part].read += last?.rowsRead ?? 0;
    rows[part].written += last?.rowsWritten ?? 0;
    last = exec(query, ...bindings);
    return last;
  }) as typeof sql.exec;
}
