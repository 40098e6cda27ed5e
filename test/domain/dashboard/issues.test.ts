// Field errors from services and objects appear beside the field, in the page's language.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { portugueseIssue } from "#root/src/http/problems.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Code that answers the dashboard's calls, besides its own schemas. */
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
