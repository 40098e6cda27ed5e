// The Portuguese texts of the Connection API stand in one file for each family of routes.
import { globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { PORTUGUESE_TEXTS } from "../../../src/connection-api/docs/portuguese.ts";

const FOLDER = fileURLToPath(new URL("../../../src/connection-api/docs/portuguese", import.meta.url));

it("each text stands once, and no file is left out", async () => {
  const files = (await Promise.all(globSync("*.ts", { cwd: FOLDER }).map((name) => import(join(FOLDER, name))))) as object[];
  const texts = files.flatMap((exported) => Object.values(exported) as object[]).flatMap((catalogue) => Object.keys(catalogue));
  expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  expect(texts.toSorted()).toEqual(Object.keys(PORTUGUESE_TEXTS).toSorted());
});
