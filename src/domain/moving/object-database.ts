// Writes an object's database as lines of text, and rebuilds it from them in a file (on one machine) or in an object (at the edge).
import { fromBase64, toBase64 } from "../base64.ts";

type Value = string | number | null | Uint8Array;
type TableRow = Record<string, unknown>;

/** The databases of `node:sqlite` match this type. */
export type ObjectDatabase = {
  exec(sql: string): unknown;
  prepare(sql: string): {
    get(...values: Value[]): TableRow | undefined;
    all(...values: Value[]): TableRow[];
    iterate(...values: Value[]): Iterable<TableRow>;
    run(...values: Value[]): unknown;
  };
};

/** Table for the bytes of a connection that moves to or from the edge. */
export const PARTS = "gateway_part";

type SchemaEntry = { type: string; name: string; sql: string };

/** `tables` contains all tables with their SQL. The full-text search has tables of its own, which nothing else may change. */
export function isPartOfSearch(table: string, tables: readonly TableRow[]): boolean {
  return tables.some(({ name, sql }) => isSearch(String(sql)) && table.startsWith(`${String(name)}_`));
}

const isSearch = (sql: string) => /^CREATE VIRTUAL/i.test(sql);

/** Yields the schema, then each table's rows, without the search index. `left` has an SQL condition for each table with rows to skip. */
export function* linesOf(object: ObjectDatabase, left: ReadonlyMap<string, string> = new Map()): Generator<string> {
  const schema = schemaOf(object);
  yield JSON.stringify({ schema });
  const tables = schema.filter(({ type, sql }) => type === "table" && !isSearch(sql)).map(({ name }) => name);
  for (const table of [...tables, ...(schema.some(({ sql }) => /\bAUTOINCREMENT\b/.test(sql)) ? ["sqlite_sequence"] : [])]) {
    // Excludes generated columns.
    const columns = object
      .prepare(`PRAGMA table_info("${table}")`)
      .all()
      .map(({ name }) => String(name));
    yield JSON.stringify({ table, columns });
    const rows = object.prepare(`SELECT ${columns.join(", ")} FROM "${table}" WHERE NOT (${left.get(table) ?? "FALSE"})`).iterate();
    for (const row of rows) yield JSON.stringify(columns.map((column) => encoded(row[column])));
  }
}

type ExportLine = { schema: SchemaEntry[] } | { table: string; columns: string[] } | (string | number | null | { base64: string })[];

/** Replaces the whole content of the database, except `PARTS`. Must be called in a transaction. */
export function rebuild(object: ObjectDatabase, lines: Iterable<string>): void {
  let schema: SchemaEntry[] = [];
  let insert: ReturnType<ObjectDatabase["prepare"]> | null = null;
  for (const text of lines) {
    const line = JSON.parse(text) as ExportLine;
    if (Array.isArray(line)) insert?.run(...line.map(decoded));
    else if ("schema" in line) {
      ({ schema } = line);
      clear(object);
      // The triggers that fill the search index must exist before the rows. Others come later, because they would count the rows again.
      for (const { sql } of schema.filter((entry) => isNeededFirst(entry, schema))) object.exec(sql);
    } else {
      const { table, columns } = line;
      if (table === "sqlite_sequence") object.exec("DELETE FROM sqlite_sequence");
      insert = object.prepare(`INSERT INTO "${table}" (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`);
    }
  }
  for (const { sql } of schema.filter((entry) => !isNeededFirst(entry, schema))) object.exec(sql);
}

function isNeededFirst({ type, sql }: SchemaEntry, schema: readonly SchemaEntry[]): boolean {
  if (type !== "trigger") return type === "table";
  return schema.some((other) => isSearch(other.sql) && new RegExp(`INTO ${other.name}\\b`).test(sql));
}

/** Ignores columns that the table does not have, and skips rows whose ids are taken. */
export function insertAll(object: ObjectDatabase, table: string, rows: readonly TableRow[]): void {
  const columns = new Set(
    object
      .prepare(`PRAGMA table_info("${table}")`)
      .all()
      .map(({ name }) => String(name)),
  );
  for (const row of rows) {
    const names = Object.keys(row).filter((name) => columns.has(name));
    const values = names.map((name) => (row[name] ?? null) as Value);
    object.prepare(`INSERT OR IGNORE INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`).run(...values);
  }
}

function schemaOf(object: ObjectDatabase): SchemaEntry[] {
  const all = object.prepare("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid").all() as SchemaEntry[];
  return all.filter(({ name }) => !/^(sqlite_|_cf_)/.test(name) && name !== PARTS && !isPartOfSearch(name, all));
}

function clear(object: ObjectDatabase): void {
  const schema = schemaOf(object);
  for (const { name } of schema.filter(({ type }) => type === "trigger")) object.exec(`DROP TRIGGER "${name}"`);
  for (const { name } of schema.filter(({ type }) => type === "table")) object.exec(`DROP TABLE "${name}"`);
}

function encoded(value: unknown): unknown {
  if (value instanceof ArrayBuffer) return { base64: toBase64(new Uint8Array(value)) };
  return value instanceof Uint8Array ? { base64: toBase64(value) } : value;
}

function decoded(value: string | number | null | { base64: string }): Value {
  return typeof value === "object" && value !== null ? fromBase64(value.base64) : value;
}

const PART_BYTES = 1 << 20;

/** An object stores at most 2 MB in one row. */
export function* toParts(lines: Iterable<string>): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  let part = new Uint8Array(PART_BYTES);
  let used = 0;
  for (const line of lines) {
    for (let rest = encoder.encode(`${line}\n`); rest.length > 0;) {
      const taken = rest.subarray(0, PART_BYTES - used);
      part.set(taken, used);
      used += taken.length;
      rest = rest.subarray(taken.length);
      if (used < PART_BYTES) continue;
      yield part;
      [part, used] = [new Uint8Array(PART_BYTES), 0];
    }
  }
  if (used > 0) yield part.slice(0, used);
}

export function* linesIn(parts: Iterable<Uint8Array>): Generator<string> {
  const decoder = new TextDecoder();
  let unfinished = "";
  for (const part of parts) {
    const [first = "", ...more] = decoder.decode(part, { stream: true }).split("\n");
    const last = more.pop();
    if (last === undefined) {
      unfinished += first;
      continue;
    }
    yield unfinished + first;
    yield* more;
    unfinished = last;
  }
}
