// Field schemas of both APIs. Each API has the error messages in its own language.
import { z } from "@hono/zod-openapi";

/** For `transform`: parses the text, and fails with `problem` when `read` returns null. */
export function readAs<T>(read: (text: string) => T | null, problem: string, params: { code?: "invalid_number" } = {}) {
  return (text: string, context: z.RefinementCtx): T => {
    const meaning = read(text);
    if (meaning !== null) return meaning;
    context.addIssue({ code: "custom", message: problem, params, input: text });
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
