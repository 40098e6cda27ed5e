import { FAILURE_RESPONSES } from "@gateway/domain/failures/responses.ts";
import type { Answer } from "@gateway/protocol/connection.ts";
import type { MiddlewareHandler } from "hono";
import type { AppContext, AppEnv } from "./app-env.ts";

export function setResponseHeaders(c: AppContext, answer: Answer): void {
  noteRefusal(c, answer);
  if (answer.replayed === true) {
    c.header("idempotent-replayed", "true");
    c.get("facts").replayed = true;
  }
  if (answer.mismatch === true) c.header("idempotency-mismatch", "true");
  if (answer.ok && answer.age !== undefined) {
    c.header("Age", String(answer.age));
    c.get("facts").ageSeconds = answer.age;
  }
  if (answer.limit === undefined) return;
  const { limit, remaining, resetSeconds } = answer.limit;
  c.header("RateLimit-Policy", `"burst";q=${limit};w=10`);
  c.header("RateLimit", `"burst";r=${remaining};t=${resetSeconds}`);
}

/** Records a refusal that the object has already logged itself. */
export function noteRefusal(c: AppContext, answer: Answer): void {
  if (!answer.ok && c.get("loggedStatus") !== undefined) c.set("loggedStatus", FAILURE_RESPONSES[answer.failure.code].status);
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
