// Schema texts for the OpenAPI documents. Worker builds use without-documentation.ts instead (wrangler.toml, `[alias]`).
import { extendZodWithOpenApi } from "@hono/zod-openapi";
import * as z from "zod";
import { PORTUGUESE_DESCRIPTION, type Text } from "./text.ts";

export function addDocumentation(): void {
  extendZodWithOpenApi(z);
}

/** For use in `.openapi()`. Describes a schema in both languages. `inLanguage` keeps one of them. */
export function says({ en, pt }: Text) {
  return { description: en, [PORTUGUESE_DESCRIPTION]: pt } as const;
}

/** Marks a text that only the OpenAPI documents show, so that worker builds leave it out. */
export function documented<T>(text: T): T {
  return text;
}
