// Typed access to D1, for services only.
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
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
