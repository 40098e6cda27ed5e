// Generates the code of both SDKs from docs/openapi, as part of `npm run openapi`.
import { readFileSync, writeFileSync } from "node:fs";
import type { OpenApi } from "@gateway/codegen/document.ts";
import { generate } from "@gateway/codegen/generate.ts";

const ROOT = new URL("../", import.meta.url);

const [connection, account] = ["connection", "account"].map(
  (api) => JSON.parse(readFileSync(new URL(`docs/openapi/${api}.json`, ROOT), "utf8")) as OpenApi,
) as [OpenApi, OpenApi];
for (const [path, text] of generate(connection, account)) writeFileSync(new URL(path, ROOT), text);
