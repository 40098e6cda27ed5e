// The Portuguese texts of an API stand in one file for each family of routes.
import { globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { PORTUGUESE_TEXTS as ACCOUNT } from "#root/src/api/docs/account/portuguese.ts";
import { PORTUGUESE_TEXTS as CONNECTION } from "#root/src/api/docs/connection/portuguese.ts";
import { SHARED_TEXTS } from "#root/src/api/docs/shared/portuguese.ts";

it.each([
  ["account", ACCOUNT],
  ["connection", CONNECTION],
  ["shared", SHARED_TEXTS],
])("each text of %s stands once, and no file is left out", async (api, catalogue) => {
  const folder = fileURLToPath(new URL(`../../../src/api/docs/${api}/portuguese`, import.meta.url));
  const files = (await Promise.all(globSync("*.ts", { cwd: folder }).map((name) => import(join(folder, name))))) as object[];
  const texts = files.flatMap((exported) => Object.values(exported) as object[]).flatMap((part) => Object.keys(part));
  expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  expect(texts.toSorted()).toEqual(Object.keys(catalogue).toSorted());
});
