// A request id on every answer, and one wide line per request in the log.
import type { MiddlewareHandler } from "hono";
import type { AppContext, AppEnv, LogFacts } from "./app-env.ts";
import { formatLogLine, errorFields } from "../log.ts";
import { traced } from "./request-trace.ts";

const REQUEST_ID_HEADER = "X-Request-Id";

/** Receives the log line of each request. */
export type WriteLine = (line: string, c: AppContext) => void;

/** The first middleware: every answer carries the id and every request leaves a log line. */
export function requestLog(write: WriteLine): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const startedAt = Date.now();
    const requestId = crypto.randomUUID();
    const facts: LogFacts = {};
    c.set("requestId", requestId);
    c.set("facts", facts);
    // Set before there is an answer: Hono would copy a finished one to add a header.
    c.header(REQUEST_ID_HEADER, requestId);
    await traced(c, next);
    const { status, headers } = c.res;
    // A WebSocket answer cannot be changed; answers made without Hono's context lack the id.
    if (status !== 101 && !headers.has(REQUEST_ID_HEADER)) c.header(REQUEST_ID_HEADER, requestId);
    const ms = Date.now() - startedAt;
    const error = c.error === undefined ? {} : errorFields(c.error);
    write(formatLogLine("request", { requestId, method: c.req.method, status, ms, ...facts, ...error }), c);
  };
}

/** Writes each line to the platform's log. */
export const writeLine: WriteLine = (line) => console.log(line);
