// zod's issues as a `validation_error`.
import type { z } from "zod";
import type { Failure } from "../protocol/failures.ts";

/** Which field, and what is wrong with it. A `to` that is no phone number has a code of its own (docs/apis.md, "Errors"). */
export function validationFailure(issues: readonly z.core.$ZodIssue[]): Failure {
  const found = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ field: [...issue.path, key].join("."), issue: issue.message }))
      : [{ field: issue.path.join("."), issue: issue.message }],
  );
  const numberOnly = issues.length > 0 && issues.every((issue) => issue.code === "custom" && issue.params?.["code"] === "invalid_number");
  return { code: numberOnly ? "invalid_number" : "validation_error", issues: found.slice(0, 20) };
}
