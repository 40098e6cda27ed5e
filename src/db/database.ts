import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import { type Column, sql, type SQL } from "drizzle-orm";
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

/** Case-insensitive for ASCII letters. Unlike LIKE, this has no wildcards to escape. */
export function contains(column: Column, part: string): SQL {
  return sql`instr(lower(${column}), lower(${part})) > 0`;
}
