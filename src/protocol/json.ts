// Parses JSON from external sources. Text that this code has written is read with `JSON.parse`, because an error there is a bug.
import type { z } from "zod";

/** Returns undefined when the text is missing or not JSON. */
export function parseJson(text: string | null | undefined): unknown {
  if (text === null || text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns null when the text is not JSON, or its value does not match the schema. */
export function readJson<T>(schema: z.ZodType<T>, text: string | null | undefined): T | null {
  return schema.safeParse(parseJson(text)).data ?? null;
}
