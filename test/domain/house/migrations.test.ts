import { globSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";

/** Columns, as `table.column`, that a migration may drop because the previous release no longer used them. */
const DROPPED: ReadonlySet<string> = new Set();

const files = globSync("migrations/*.sql").toSorted();

it("no D1 migration drops a column that the previous release may still use", () => {
  const database = new DatabaseSync(":memory:");
  const columns = () =>
    database
      .prepare("SELECT m.name || '.' || c.name AS name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'")
      .all()
      .map(({ name }) => name as string);
  expect(files).not.toEqual([]);
  for (const file of files) {
    const before = columns();
    database.exec(readFileSync(file, "utf8"));
    const after = new Set(columns());
    expect([file, before.filter((column) => !after.has(column) && !DROPPED.has(column))]).toEqual([file, []]);
  }
});

// `wrangler d1 migrations apply --remote` posts a whole file to D1, which splits it into statements with an unpublished splitter. It keeps
// a trigger whole only on one line with BEGIN and END in upper case, and treats the first END as the trigger's (cloudflare/workers-sdk
// #4326, #14991, #15314 and #15690); otherwise D1 returns "incomplete input [code: 7500]".
function remoteStatements(sql: string): string[] {
  const statements: string[] = [];
  let [start, isTriggerLine, isBody] = [0, false, false];
  for (const { 0: token, index } of sql.matchAll(/'[^']*'|`[^`]*`|"[^"]*"|--[^\n]*|;|\n|\bCREATE TRIGGER\b|\bBEGIN\b|\bEND\b/g)) {
    if (token === "\n") [isTriggerLine, isBody] = [false, false];
    else if (token === "CREATE TRIGGER") isTriggerLine = true;
    else if (token === "BEGIN") isBody = isTriggerLine;
    else if (token === "END") isBody = false;
    else if (token === ";" && !isBody) {
      statements.push(sql.slice(start, index + 1));
      start = index + 1;
    }
  }
  return statements;
}

/** Wrangler appends its own statement to the file, so a last statement without a semicolon swallows it. */
const posted = (sql: string) => `${sql}\nINSERT INTO "d1_migrations" (name)\nvalues ('migration.sql');`;

const MAX_STATEMENT_BYTES = 100_000;

/** Applies a migration like remote D1; returns the error, or null. */
function remoteFailure(database: DatabaseSync, sql: string): string | null {
  if (sql.includes("\r")) return "CRLF";
  database.exec('CREATE TABLE IF NOT EXISTS "d1_migrations" (name TEXT)');
  try {
    for (const statement of remoteStatements(posted(sql))) {
      if (Buffer.byteLength(statement) > MAX_STATEMENT_BYTES) return "statement too long";
      if (/^\s*(?:BEGIN|COMMIT|END|SAVEPOINT|RELEASE|ROLLBACK)\b/i.test(statement)) return "transaction";
      database.prepare(statement).run();
    }
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

it("remote D1 can split every migration into its statements", () => {
  const database = new DatabaseSync(":memory:");
  for (const file of files) expect([file, remoteFailure(database, readFileSync(file, "utf8"))]).toEqual([file, null]);
  const recorded = database.prepare("SELECT count(*) AS migrations FROM d1_migrations").get();
  expect(recorded).toEqual({ migrations: files.length });
  const count = database.prepare("SELECT count(*) AS triggers FROM sqlite_master WHERE type = 'trigger'").get();
  expect(count).toEqual({ triggers: files.flatMap((file) => readFileSync(file, "utf8").match(/CREATE TRIGGER/g) ?? []).length });
});

const update = "UPDATE t SET a = 1;";
it.each([
  ["one line", `CREATE TRIGGER x AFTER INSERT ON t BEGIN ${update} ${update} END;`, null],
  ["several lines", `CREATE TRIGGER x AFTER INSERT ON t\nBEGIN\n  ${update}\nEND;`, "incomplete input"],
  ["lower case", `CREATE TRIGGER x AFTER INSERT ON t begin ${update} end;`, "incomplete input"],
  ["a CASE", "CREATE TRIGGER x AFTER INSERT ON t BEGIN UPDATE t SET a = CASE WHEN a THEN 1 ELSE 2 END; END;", "incomplete input"],
  ["no last semicolon", `CREATE TRIGGER x AFTER INSERT ON t BEGIN ${update} END`, 'near "INSERT": syntax error'],
  ["a semicolon in a text", "CREATE TRIGGER x AFTER INSERT ON t BEGIN UPDATE t SET a = ';'; END; -- and; here", null],
  ["a transaction around it", `BEGIN; CREATE TRIGGER x AFTER INSERT ON t BEGIN ${update} END; COMMIT;`, "transaction"],
  ["CRLF", `CREATE TRIGGER x AFTER INSERT ON t BEGIN ${update} END;\r\n`, "CRLF"],
])("remote D1 accepts or refuses a trigger with %s", (_form, trigger, failure) => {
  const database = new DatabaseSync(":memory:");
  expect(remoteFailure(database, `CREATE TABLE t (a integer);\n${trigger}\n`)).toBe(failure);
});
