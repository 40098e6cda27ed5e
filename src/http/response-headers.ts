import { FAILURE_RESPONSES } from "@gateway/domain/failures/responses.ts";
import type { CallResult } from "@gateway/protocol/connection.ts";
import type { MiddlewareHandler } from "hono";
import type { AppContext, AppEnv } from "./app-env.ts";

export function setResponseHeaders(c: AppContext, result: CallResult): void {
  noteRefusal(c, result);
  if (result.replayed === true) {
    c.header("idempotent-replayed", "true");
    c.get("facts").replayed = true;
  }
  if (result.mismatch === true) c.header("idempotency-mismatch", "true");
  if (result.ok && result.age !== undefined) {
    c.header("Age", String(result.age));
    c.get("facts").ageSeconds = result.age;
  }
  if (result.limit === undefined) return;
  const { limit, remaining, resetSeconds } = result.limit;
  c.header("RateLimit-Policy", `"burst";q=${limit};w=10`);
  c.header("RateLimit", `"burst";r=${remaining};t=${resetSeconds}`);
}

/** Records a refusal that the object has already logged itself. */
export function noteRefusal(c: AppContext, result: CallResult): void {
  if (!result.ok && c.get("loggedStatus") !== undefined) c.set("loggedStatus", FAILURE_RESPONSES[result.failure.code].status);
}

// Plain HTTP is refused and never redirected. A client that follows redirects would not notice that it exposed its credentials.
export function httpsOnly(allowed: (url: URL) => boolean, refuse: (c: AppContext) => Response): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    // This check comes first, because parsing the URL takes longer than this comparison.
    if (c.req.url.startsWith("http:") && !allowed(new URL(c.req.url))) return refuse(c);
    return next();
  };
}

export const never = (): boolean => false;
