// Every acceptance id names a test that exists, and no test title carries an id (test/journey/acceptance.md, "Dashboard").
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const JOURNEYS = fileURLToPath(new URL("../../journey/", import.meta.url));
const read = (name: string): string => readFileSync(join(JOURNEYS, name), "utf8");

/** An id at the start of a title: `it("C14 arrives …`. */
const CODED = /\b(?:describe|it)(?:\.\w+)*\(\s*["'`][A-Z]\d+ /;

it("every acceptance id names a test that exists", () => {
  const rows = [...read("acceptance.md").matchAll(/^\| ([A-Z]\d+) \| `([^`]+)` \| .*? \| (.*) \|$/gm)];
  const missing = rows.filter(([, , file = "", title = ""]) => !read(file).includes(title)).map(([row]) => row);
  expect(rows.length).toBeGreaterThan(100);
  expect(missing).toEqual([]);
});

it("no test title contains an acceptance id", () => {
  const coded = globSync("**/*.test.ts", { cwd: JOURNEYS }).filter((name) => CODED.test(read(name)));
  expect(coded).toEqual([]);
});
