// Reading JSON that may be anything. Text that this code wrote itself is read by `JSON.parse`: there, an error is a defect.
import type { z } from "zod";

/** The value of a JSON text; undefined when the text is missing or not JSON. */
export function parseJson(text: string | null | undefined): unknown {
  if (text === null || text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value of a JSON text as the schema returns it; null when the text is not JSON or its value does not fit. */
export function readJson<T>(schema: z.ZodType<T>, text: string | null | undefined): T | null {
  return schema.safeParse(parseJson(text)).data ?? null;
}
