import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenApi } from "@gateway/codegen/document.ts";
import { builtDocuments } from "../src/docs/build.mjs";

/** The OpenAPI documents of both APIs, in English, made from the route tables of this working directory. */
export async function apiDocuments(): Promise<{ connection: OpenApi; account: OpenApi }> {
  const folder = await builtDocuments();
  const read = (name: string): OpenApi => JSON.parse(readFileSync(join(folder, `${name}.en.json`), "utf8")) as OpenApi;
  return { connection: read("connection"), account: read("account") };
}
