// zod with `.openapi()` for documenting schemas. Re-exported by name, so that the bundler drops unused parts.
import { addDocumentation } from "#root/src/http/openapi/documentation.ts";

addDocumentation();

export * from "zod";
