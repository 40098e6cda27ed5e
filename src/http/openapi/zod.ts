// zod whose schemas can carry documentation: `.openapi()`. Re-exported name by name, so that the bundler drops what no schema uses.
import { addDocumentation } from "#root/src/http/openapi/documentation.ts";

addDocumentation();

export * from "zod";
