// Compares the migrations that this worker needs with those that `npm run migrate` has recorded in D1.
import journal from "#root/migrations/meta/_journal.json";
import { sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { migrationProblem } from "@gateway/domain/fleet/self-check.ts";

const EXPECTED = journal.entries.map(({ tag }) => `${tag}.sql`);

/** Returns the problem in a sentence, or null if the database has all migrations. Throws if D1 does not respond. */
export async function migrationsProblem(binding: D1Database): Promise<string | null> {
  return migrationProblem(EXPECTED, await appliedMigrations(binding));
}

async function appliedMigrations(binding: D1Database): Promise<string[] | null> {
  const database = databaseOf(binding);
  // This check comes first, because a failed query does not show whether the table is missing.
  const tables = await database.all(sql`SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'`);
  if (tables.length === 0) return null;
  const rows = await database.all<{ name: string }>(sql`SELECT name FROM d1_migrations`);
  return rows.map(({ name }) => name);
}
