// What services and objects find wrong with a field is shown beside it, in the language of the page.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { portugueseIssue } from "#root/src/http/problems.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Where the dashboard's calls are answered, but for its own schemas. */
const ANSWERING = [
  "src/services/**/*.ts",
  "src/api/*/{administration,report,page}.ts",
  "src/api/dashboard/routes/*.ts",
  "durable-objects/connection/**/*.ts",
];

it("all of it has Portuguese words", () => {
  const sources = globSync(ANSWERING, { cwd: ROOT }).map((file) => readFileSync(`${ROOT}/${file}`, "utf8"));
  const found = sources.flatMap((source) => [...source.matchAll(/\bissue: "([^"]+)"/g)].map(([, text = ""]) => text));
  expect(found.length).toBeGreaterThan(5);
  expect(found.filter((text) => portugueseIssue(text) === undefined)).toEqual([]);
});
