// Error bodies for the Account API, the dashboard's API and internal routes (docs/use/apis.md, "Errors").
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { FAILURE_RESPONSES, retryAfterOf } from "@gateway/domain/failures/responses.ts";
import { englishText } from "@gateway/domain/failures/texts.ts";
import type { Failure, FailureCode } from "@gateway/protocol/failures.ts";
import type { AppContext } from "./app-env.ts";

/** The URL of the chapter about errors (RFC 8288). */
const HELP = '</docs/account?lang=en#description/errors>; rel="help"';

export function englishFailure(c: AppContext, given: Failure | FailureCode, status?: ContentfulStatusCode): Response {
  const failure = typeof given === "string" ? { code: given } : given;
  const details = failure.issues?.map(({ field, issue }) => ({ field, issue })) ?? failure.details;
  c.get("facts").code = failure.code;
  c.header("Link", HELP);
  const retryAfter = retryAfterOf(failure);
  if (retryAfter !== null) c.header("Retry-After", String(retryAfter));
  return c.json(
    {
      error: { code: failure.code, message: englishText(failure), ...(details === undefined ? {} : { details }) },
      request_id: c.get("requestId"),
    },
    status ?? (FAILURE_RESPONSES[failure.code].status as ContentfulStatusCode),
  );
}
