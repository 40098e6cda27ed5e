// Field errors from services and objects appear beside the field, in the page's language.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { invalidField } from "@gateway/domain/failures/field-problems.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const SOURCES = ["src/{api,domain,services}/**/*.ts", "durable-objects/**/*.ts"];

it("field errors take their words from one table, in both languages", () => {
  const literal = globSync(SOURCES, { cwd: ROOT }).filter((file) => /\bissue: ["`]/.test(readFileSync(`${ROOT}/${file}`, "utf8")));
  expect(literal).toEqual([]);
  expect(invalidField("headers", "too_many_headers", 20).failure.issues).toEqual([
    { field: "headers", issue: "at most 20 headers", portuguese: "no máximo 20 cabeçalhos" },
  ]);
});
