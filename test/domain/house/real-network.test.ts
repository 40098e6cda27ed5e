// Each row of the table (docs/operate/real-network.md, "Sockets, logins, messages") names existing tests that prove it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");

const page = read("docs/operate/real-network.md");

type Row = { number: number; here: string; shownBy: string };

function rowsOf(text: string): Row[] {
  return [...text.matchAll(/^\| (\d+) \| (.*) \|$/gm)].map(([, number, rest = ""]) => {
    const [, , here = "", shownBy = "", ...more] = rest.split(" | ");
    if (more.length !== 1) throw new Error(`row ${number} has other columns`);
    return { number: Number(number), here, shownBy };
  });
}

/** `a file` "a title in it", for each mention. */
function titlesOf(cell: string): { file: string; title: string }[] {
  return [...cell.matchAll(/`(test\/[\w./-]+\.test\.ts)` "([^"]+)"/g)].map(([, file = "", title = ""]) => ({ file, title }));
}

function problemsOf(row: Row): string[] {
  const titles = titlesOf(row.shownBy);
  const missing = titles.filter(({ file, title }) => !read(file).includes(title)).map(({ title }) => `${row.number}: no test "${title}"`);
  if (!/^[TUND] /.test(row.here)) missing.push(`${row.number}: no mark`);
  if (row.here.startsWith("T ") && titles.length === 0) missing.push(`${row.number}: tested by nothing`);
  return missing;
}

it("the page numbers its rows without a gap", () => {
  const numbers = rowsOf(page).map(({ number }) => number);
  expect(numbers.length).toBeGreaterThanOrEqual(52);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

it("the page names existing tests for every row that is marked as tested", () => {
  expect(rowsOf(page).flatMap(problemsOf)).toEqual([]);
});

it("a row that names no test, or one that does not exist, is refused", () => {
  const file = "`test/domain/house/readme.test.ts`";
  const wrong = rowsOf(
    `| 1 | a | b | T handled | ${file} "${["no", "test"].join(" ")}" | c |\n| 2 | a | b | T handled | none | c |\n| 3 | a | b | handled | none | c |`,
  );
  expect(wrong.flatMap(problemsOf)).toEqual(['1: no test "no test"', "2: tested by nothing", "3: no mark"]);
});

it("the page has every row that other pages name", () => {
  const known = new Set(rowsOf(page).map(({ number }) => number));
  const named = ["docs/operate/first-day.md", "docs/operate/library-upgrade.md"].flatMap((name) =>
    [...read(name).matchAll(/\brows? ((?:\d+(?:, | and | to )?)+)/g)].flatMap(([, numbers = ""]) => numbers.match(/\d+/g) ?? []),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((number) => !known.has(Number(number)))).toEqual([]);
});
