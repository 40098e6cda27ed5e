// An object's migrations: an append-only list per concern, because SQLite in objects rejects `PRAGMA user_version`.

/** Statements in order. Entries may be added, but never edited (docs/internals/architecture.md, "Object schema changes"). */
export type Migrations = readonly string[];

/** Runs pending migrations. Synchronous, because it runs in the constructor. If none are pending, it only reads one small table. */
export function migrate(storage: DurableObjectStorage, concerns: readonly (readonly [concern: string, Migrations])[]): void {
  const { sql } = storage;
  const known = new Map<string, number>();
  if (hasVersions(sql)) {
    for (const row of sql.exec<{ concern: string; version: number }>("SELECT concern, version FROM schema_version")) {
      known.set(row.concern, row.version);
    }
  }
  const behind = concerns.filter(([concern, migrations]) => (known.get(concern) ?? 0) < migrations.length);
  if (behind.length === 0) return;
  storage.transactionSync(() => {
    sql.exec("CREATE TABLE IF NOT EXISTS schema_version (concern TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID");
    for (const [concern, migrations] of behind) {
      for (const statement of migrations.slice(known.get(concern) ?? 0)) sql.exec(statement);
      sql.exec("INSERT OR REPLACE INTO schema_version (concern, version) VALUES (?, ?)", concern, migrations.length);
    }
  });
}

function hasVersions(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").toArray().length > 0;
}
