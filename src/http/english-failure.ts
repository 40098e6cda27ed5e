// Error bodies of the Account API, also used by the dashboard's API and the internal routes (docs/apis.md, "Errors").
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { FAILURE_ANSWERS, retryAfterOf } from "../domain/failures/answers.ts";
import { ENGLISH } from "../domain/failures/english.ts";
import type { Failure, FailureCode } from "../protocol/failures.ts";
import type { AppContext } from "./app-env.ts";
import { problemText } from "./problems.ts";
import type { ErrorMessages } from "./read-request.ts";

/** What is wrong with a field. zod's own words for these two name a key and a type; the rest is as zod says it. */
export const ENGLISH_MESSAGES: ErrorMessages = {
  halfCharacter: "has half of a character (a lone surrogate, \\ud800 to \\udfff)",
  notUtf8: "is not valid UTF-8",
  error: (issue) => {
    if (issue.code === "unrecognized_keys") return "is not a known field";
    if (issue.code === "custom") return problemText(issue, "en");
    return issue.input === undefined && issue.code.startsWith("invalid_") ? "is required" : undefined;
  },
};

/** `{ error: { code, message, details? }, request_id }` with its status (or the given one) and `Retry-After`. */
export function englishFailure(c: AppContext, given: Failure | FailureCode, status?: ContentfulStatusCode): Response {
  const failure = typeof given === "string" ? { code: given } : given;
  const details = failure.issues ?? failure.details;
  c.var.facts.code = failure.code;
  const retryAfter = retryAfterOf(failure);
  if (retryAfter !== null) c.header("Retry-After", String(retryAfter));
  return c.json(
    {
      error: { code: failure.code, message: ENGLISH[failure.code], ...(details === undefined ? {} : { details }) },
      request_id: c.var.requestId,
    },
    status ?? (FAILURE_ANSWERS[failure.code].status as ContentfulStatusCode),
  );
}
