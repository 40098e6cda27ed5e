// Migrates the sandbox's D1 with the table and order that wrangler uses in production.
import type { Env } from "../env.ts";
import type { MigrationFile } from "./host/worker-settings.ts";

/** Migrations set by the worker's process, sorted by name. */
type SandboxFiles = { SANDBOX_MIGRATIONS?: readonly MigrationFile[] };

const BETWEEN_STATEMENTS = "--> statement-breakpoint";

export async function applyMigrations(env: Env): Promise<string[]> {
  const { SANDBOX_MIGRATIONS: files = [] } = env as SandboxFiles;
  await env.DB.exec(
    "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
  );
  const rows = await env.DB.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const known = new Set(rows.results.map((row) => row.name));
  const missing = files.filter(({ name }) => !known.has(name));
  for (const { name, sql } of missing) {
    const statements = sql.split(BETWEEN_STATEMENTS).filter((text) => text.trim() !== "");
    await env.DB.batch([
      ...statements.map((text) => env.DB.prepare(text)),
      env.DB.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
    ]);
  }
  return missing.map(({ name }) => name);
}
