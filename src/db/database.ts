import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import { type Column, getTableColumns, SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "./schema.ts";

export type Database = DrizzleD1Database<typeof schema>;

const opened = new WeakMap<D1Database, Database>();

export function databaseOf(binding: D1Database): Database {
  const known = opened.get(binding);
  if (known !== undefined) return known;
  const database = drizzle(binding, { schema });
  opened.set(binding, database);
  return database;
}

/** Passed as a subquery, because a statement accepts at most 100 parameters. */
export function rowsOf(values: readonly string[]): SQL {
  return sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

/** Values for a conditional insert (`INSERT … SELECT`), which must list all columns in the table's order. */
export function selectedValues<T extends SQLiteTable>(
  table: T,
  values: { [Name in keyof T["$inferSelect"]]: T["$inferSelect"][Name] | SQL },
): SQL {
  const inOrder = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const value = values[name as keyof typeof values];
    return value instanceof SQL ? value : sql.param(value, column);
  });
  return sql`SELECT ${sql.join(inOrder, sql`, `)}`;
}

/** Case-insensitive for ASCII letters. Unlike LIKE, this has no wildcards to escape. */
export function contains(column: Column, part: string): SQL {
  return sql`instr(lower(${column}), lower(${part})) > 0`;
}
