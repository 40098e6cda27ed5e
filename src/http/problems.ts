// Reports field problems in schemas. The language depends on the API that parses the field.
import { type Language, type Problem, problemText } from "@gateway/domain/failures/field-problems.ts";
import type { z } from "zod";

/** `most` is the limit that the text shows. `code` is set if the failure has its own code (docs/use/apis.md, "Errors"). */
type ProblemDetails = { most?: number; code?: "invalid_number" };

export function problem(name: Problem, details: ProblemDetails = {}) {
  return { params: { problem: name, ...details } };
}

export function textOfIssue(issue: z.core.$ZodRawIssue, language: Language): string | undefined {
  if (issue.code !== "custom" || typeof issue.params?.["problem"] !== "string") return undefined;
  const { problem: name, most } = issue.params as { problem: Problem; most?: number };
  return problemText(name, language, most);
}
