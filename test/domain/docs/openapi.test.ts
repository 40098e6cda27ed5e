// The published OpenAPI documents are the index of routes: their diff shows API changes.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openApiFiles } from "#root/tools/openapi.ts";

it("docs/openapi contains the documents that the code makes: run `npm run openapi`, and read the diff", async () => {
  for (const { file, text } of await openApiFiles()) expect(readFileSync(file, "utf8") === text, file).toBe(true);
});
