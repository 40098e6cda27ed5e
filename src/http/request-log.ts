// A request id on every answer, and one wide line per request in the log.
import type { MiddlewareHandler } from "hono";
import type { AppEnv, LogFacts } from "./app-env.ts";
import { logLine, wordsOfError } from "./log-line.ts";

const REQUEST_ID_HEADER = "X-Request-Id";

/** First of all: whatever happens later, the answer carries the id and the log has its line. */
export const requestLog: MiddlewareHandler<AppEnv> = async (c, next) => {
  const startedAt = Date.now();
  const facts: LogFacts = {};
  c.set("requestId", crypto.randomUUID());
  c.set("facts", facts);
  await next();
  // An accepted WebSocket is handed on as it is.
  if (c.res.status !== 101) c.header(REQUEST_ID_HEADER, c.var.requestId);
  logLine("request", {
    requestId: c.var.requestId,
    method: c.req.method,
    status: c.res.status,
    ms: Date.now() - startedAt,
    ...facts,
    ...(c.error === undefined ? {} : wordsOfError(c.error)),
  });
};
