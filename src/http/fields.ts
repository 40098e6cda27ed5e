// Field schemas of both APIs.
import { z } from "@hono/zod-openapi";
import { problem } from "./problems.ts";

/** For `transform`: parses the text, and fails with the problem when `read` returns null. */
export function readAs<T>(read: (text: string) => T | null, ...wrong: Parameters<typeof problem>) {
  return (text: string, context: z.RefinementCtx): T => {
    const meaning = read(text);
    if (meaning !== null) return meaning;
    context.addIssue({ code: "custom", input: text, ...problem(...wrong) });
    return z.NEVER;
  };
}

/** Unix seconds, of Unix seconds or ISO 8601. */
export function readTimestamp(text: string): number | null {
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : Math.floor(Date.parse(text) / 1000);
  return Number.isFinite(seconds) ? seconds : null;
}

/** Query parameters arrive as text. */
export const queryBoolean = z
  .enum(["true", "false"])
  .transform((value) => value === "true")
  .openapi({ type: "boolean" });

/** ISO 8601, UTC. */
export const iso = z.string().openapi({ format: "date-time" });
export const nextCursor = z.string().nullable();
