import { globSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";

/** Columns, as `table.column`, that a migration may drop: the previous release no longer used them. */
const DROPPED: ReadonlySet<string> = new Set();

it("no D1 migration drops a column that the previous release may still use", () => {
  const database = new DatabaseSync(":memory:");
  const columns = () =>
    database
      .prepare("SELECT m.name || '.' || c.name AS name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'")
      .all()
      .map(({ name }) => name as string);
  const files = globSync("migrations/*.sql").toSorted();
  expect(files).not.toEqual([]);
  for (const file of files) {
    const before = columns();
    database.exec(readFileSync(file, "utf8"));
    const after = new Set(columns());
    expect([file, before.filter((column) => !after.has(column) && !DROPPED.has(column))]).toEqual([file, []]);
  }
});
