import * as z from "#root/src/http/openapi/zod.ts";
import { problem } from "./problems.ts";

/** For use in `transform`. Reports the problem when `read` returns null. */
export function readAs<T>(read: (text: string) => T | null, ...wrong: Parameters<typeof problem>) {
  return (text: string, context: z.RefinementCtx): T => {
    const meaning = read(text);
    if (meaning !== null) return meaning;
    context.addIssue({ code: "custom", input: text, ...problem(...wrong) });
    return z.NEVER;
  };
}

const TIMESTAMP = /^\d{4}-\d\d-(\d\d)([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** Reads Unix seconds, or ISO 8601. */
export function readTimestamp(text: string): number | null {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  const day = TIMESTAMP.exec(text)?.[1];
  const seconds = Math.floor(Date.parse(text) / 1000);
  // `Date.parse` reads 30 February as 2 March.
  return Number(day) === new Date(text.slice(0, 10)).getUTCDate() && Number.isFinite(seconds) ? seconds : null;
}

export const queryBoolean = z
  .enum(["true", "false"])
  .transform((value) => value === "true")
  .openapi({ type: "boolean" });

export const iso = z.string().openapi({ format: "date-time" });
export const nextCursor = z.string().nullable();
