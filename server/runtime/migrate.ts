// Migrates D1 with the table and order that wrangler uses at the edge.

export type MigrationFile = { name: string; sql: string };

type Statement = { bind(value: string): Statement; all(): Promise<{ results: Record<string, unknown>[] }> };
/** The part of D1 that is the same in the worker and in Miniflare's Node API. */
export type Database = {
  exec(sql: string): Promise<unknown>;
  prepare(sql: string): Statement;
  batch(statements: Statement[]): Promise<unknown>;
};

const BETWEEN_STATEMENTS = "--> statement-breakpoint";
const TABLE =
  "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)";

/** Applies the missing files, sorted by name, each in full or not at all. Returns their names. */
export async function applyMigrations(database: Database, files: readonly MigrationFile[]): Promise<string[]> {
  await database.exec(TABLE);
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all();
  const known = new Set(results.map((row) => row["name"]));
  const missing = files.filter(({ name }) => !known.has(name));
  for (const { name, sql } of missing) {
    const statements = sql.split(BETWEEN_STATEMENTS).filter((text) => text.trim() !== "");
    await database.batch([
      ...statements.map((text) => database.prepare(text)),
      database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
    ]);
  }
  return missing.map(({ name }) => name);
}
