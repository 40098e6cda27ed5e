// `npm run generate`: writes what the SDK takes from the OpenAPI documents (CONTRIBUTING.md, "Add a route").
import { writeFileSync } from "node:fs";
import { generate } from "@gateway/codegen/generate.ts";
import { apiDocuments } from "./api-documents.ts";

const { connection, account } = await apiDocuments();
for (const [path, text] of generate(connection, account)) writeFileSync(new URL(`../${path}`, import.meta.url), text);
