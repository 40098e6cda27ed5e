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

export function readTimestamp(text: string): number | null {
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : Math.floor(Date.parse(text) / 1000);
  return Number.isFinite(seconds) ? seconds : null;
}

export const queryBoolean = z
  .enum(["true", "false"])
  .transform((value) => value === "true")
  .openapi({ type: "boolean" });

export const iso = z.string().openapi({ format: "date-time" });
export const nextCursor = z.string().nullable();
