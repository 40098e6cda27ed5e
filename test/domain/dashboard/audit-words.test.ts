// The audit page describes administrators' actions in words.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const routes = ["admin", "fleet"]
  .map((area) => readFileSync(new URL(`../../../src/api/dashboard/routes/${area}.ts`, import.meta.url), "utf8"))
  .join("\n");
const acts = [...routes.matchAll(/adminChange\(\s*"[^"]+",\s*"(\w+)"/g)].map(([, act = ""]) => act);

it.each(["pt", "en"])("the audit has words in %s for each act of an administrator", async (language) => {
  // Loads browser code, whose types are not available in this project.
  const path = `../../../dashboard/src/texts/${language}/admin.ts`;
  const words = (await import(path)) as { default: { audit: { acts: Record<string, string> } } };
  expect(acts.length).toBeGreaterThan(10);
  expect(Object.keys(words.default.audit.acts).toSorted()).toEqual(acts.toSorted());
});
