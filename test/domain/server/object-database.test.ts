// An object's database travels as text and is rebuilt elsewhere. The object is one of a gateway that ran.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { linesIn, linesOf, toParts, rebuild } from "@gateway/domain/moving/object-database.ts";

const FIXTURE = fileURLToPath(new URL("../../journey/one-machine/format-1.tar.gz", import.meta.url));

let parent: string;
let source: DatabaseSync;
let target: DatabaseSync;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "object-"));
  spawnSync("tar", ["--extract", "--gzip", "--file", FIXTURE, "--directory", parent]);
  const objects = join(parent, readdirSync(parent).find((name) => name.startsWith("gateway-")) ?? "", "storage/do/gateway-Connection");
  const file = readdirSync(objects).find((name) => /^[0-9a-f]+\.sqlite$/.test(name)) ?? "";
  source = new DatabaseSync(join(objects, file));
  target = new DatabaseSync(":memory:");
});
afterEach(() => {
  source.close();
  target.close();
  rmSync(parent, { recursive: true });
});

const sent = () => [...linesIn([...toParts(linesOf(source))])];
const tables = (database: DatabaseSync) =>
  database.prepare("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY type, name").all();
const search = (database: DatabaseSync) =>
  ["chat_names", "contact_names"].map((table) => database.prepare(`SELECT rowid FROM ${table} WHERE text MATCH 'Fri'`).all());

it("a rebuilt database has the same tables, rows, numbers and search", () => {
  source.exec("DELETE FROM act; INSERT INTO act (id, at, act) VALUES (70, 1, 'x'); DELETE FROM act");
  rebuild(target, sent());
  expect(tables(target)).toEqual(tables(source));
  for (const { name } of tables(source).filter(({ sql }) => String(sql).startsWith("CREATE TABLE"))) {
    if (String(name).includes("_names_")) continue;
    const rows = (database: DatabaseSync) => database.prepare(`SELECT * FROM "${String(name)}"`).all();
    expect(rows(target), String(name)).toEqual(rows(source));
  }
  expect(search(source).flat()).not.toEqual([]);
  expect(search(target)).toEqual(search(source));
  target.exec("INSERT INTO act (at, act) VALUES (2, 'y')");
  expect(target.prepare("SELECT id FROM act").all(), "numbers are not used twice").toMatchObject([{ id: 71 }]);
});

it("a rebuilt database replaces the existing one, and splits long values and characters over parts", () => {
  rebuild(target, sent());
  const value = `${"á€".repeat(400_000)}\n`;
  source.prepare("INSERT OR REPLACE INTO state_row (key, value) VALUES ('long', ?)").run(value);
  expect([...toParts(linesOf(source))].every((part) => part.length <= 1 << 20)).toBe(true);
  rebuild(target, sent());
  expect(target.prepare("SELECT value FROM state_row WHERE key = 'long'").get()).toEqual({ value });
  expect(search(target)).toEqual(search(source));
});
