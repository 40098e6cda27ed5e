// D1's migrations, from the states in which databases are: what is deployed goes on working until it is replaced.
import { type D1Migration, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

// Bound by test/support/runner/projects.ts, so it is in no Env of the product.
const { TEST_MIGRATIONS } = env as unknown as { TEST_MIGRATIONS: D1Migration[] };

/** Tables and columns, as `table.column`, that a migration may take away: the release before no longer used them. */
const DROPPED: ReadonlySet<string> = new Set();

const inEmptyDatabase = <T>(run: (sql: SqlStorage) => T): Promise<T> =>
  runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), async (_object, { storage }) => {
    await storage.deleteAll();
    return run(storage.sql);
  });

const apply = (sql: SqlStorage, migrations: readonly D1Migration[]) => {
  for (const { queries } of migrations) for (const query of queries) sql.exec(query);
};

const columns = (sql: SqlStorage) =>
  sql
    .exec<{ name: string }>(
      `SELECT m.name || '.' || c.name AS name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'
       AND m.name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY 1`,
    )
    .toArray()
    .map(({ name }) => name);

const tables = (sql: SqlStorage) =>
  sql.exec("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name").toArray();

const numbered = (from: string, below = "9999") => TEST_MIGRATIONS.filter(({ name }) => name >= from && name < below);

it("no migration takes away a column that the release before may still use", async () => {
  await inEmptyDatabase((sql) => {
    for (const migration of TEST_MIGRATIONS) {
      const before = columns(sql);
      apply(sql, [migration]);
      const after = new Set(columns(sql));
      expect([migration.name, before.filter((column) => !after.has(column) && !DROPPED.has(column))]).toEqual([migration.name, []]);
    }
  });
});

it("the release before shares by address signs people in after each of its successor's migrations", async () => {
  await inEmptyDatabase((sql) => {
    apply(sql, numbered("0000", "0002"));
    for (const migration of numbered("0002")) {
      apply(sql, [migration]);
      sql.exec("INSERT INTO rate_limit (id, key, count, last_request) VALUES (?, ?, 1, 2)", migration.name, migration.name);
      sql.exec("UPDATE rate_limit SET count = 2 WHERE key = ?", migration.name);
      expect(sql.exec("SELECT count FROM rate_limit WHERE key = ?", migration.name).one()).toEqual({ count: 2 });
    }
  });
});

it("a database that had lost a table already has the same tables in the end as a new one", async () => {
  const fresh = await inEmptyDatabase((sql) => {
    apply(sql, TEST_MIGRATIONS);
    return tables(sql);
  });
  const lost = await inEmptyDatabase((sql) => {
    apply(sql, numbered("0000", "0003"));
    // As an earlier form of the fourth migration did.
    sql.exec("DROP TABLE rate_limit");
    apply(sql, numbered("0004"));
    return tables(sql);
  });
  expect(lost).toEqual(fresh);
});
