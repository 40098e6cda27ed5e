// Adds a request id to every response, and writes one log line per request.
import type { MiddlewareHandler } from "hono";
import type { AppContext, AppEnv, LogFacts } from "./app-env.ts";
import { type Env, settingsOf } from "../env.ts";
import type { RequestOutcome } from "@gateway/protocol/connection.ts";
import { connectionStub } from "../services/connections/stub.ts";
import { formatLogLine, errorFields, log, type Routine } from "../log.ts";
import { tracersOf } from "../services/tracing/tracers.ts";
import { parseTraceparent, type Span } from "@gateway/tracing/span.ts";
import { runInSpan } from "@gateway/tracing/active-span.ts";

/** These requests are not traced here, because bridges trace their own requests. */
const INTERNAL = "/internal/";
const SERVER_ERROR = 500;

async function traced(c: AppContext, next: () => Promise<void>): Promise<void> {
  const span = beginSpan(c);
  if (span === null) return next();
  try {
    await runInSpan(span, next);
  } finally {
    endSpan(c, span);
  }
}

function beginSpan(c: AppContext): Span | null {
  const tracers = tracersOf(c.env);
  if (tracers === null || c.req.path.startsWith(INTERNAL)) return null;
  const caller = parseTraceparent(c.req.header("traceparent"));
  const span = tracers.worker.begin("request", "server", caller);
  const traceId = span?.context.traceId ?? caller?.traceId;
  if (traceId !== undefined) c.get("facts").trace_id = traceId;
  return span;
}

function endSpan(c: AppContext, span: Span): void {
  const facts = c.get("facts");
  const { status } = c.res;
  if (facts.route !== undefined) span.rename(`${c.req.method} ${facts.route}`);
  span.set({
    "http.request.method": c.req.method,
    "http.route": facts.route,
    "http.response.status_code": status,
    "gateway.request_id": c.get("requestId"),
    "gateway.operation": facts.operation,
    "gateway.connection": facts.connection,
    "gateway.replayed": facts.replayed,
  });
  span.end({ code: facts.code, failed: status >= SERVER_ERROR });
}

const REQUEST_ID_HEADER = "X-Request-Id";

export type WriteLine = (line: string, c: AppContext) => void;

export function requestLog(write: WriteLine): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const startedAt = Date.now();
    const requestId = crypto.randomUUID();
    const facts: LogFacts = {};
    c.set("requestId", requestId);
    c.set("receivedAt", startedAt);
    c.set("facts", facts);
    // The header is set early, because Hono would copy a finished response to add a header.
    c.header(REQUEST_ID_HEADER, requestId);
    await traced(c, next);
    const { status, headers } = c.res;
    // A WebSocket response is immutable, and responses created without Hono's context lack the id.
    if (status !== 101 && !headers.has(REQUEST_ID_HEADER)) c.header(REQUEST_ID_HEADER, requestId);
    const ms = Date.now() - startedAt;
    const error = c.error === undefined ? {} : errorFields(c.error);
    amendLogged(c, status);
    const line = formatLogLine(
      "request",
      { request: requestId, method: c.req.method, status, ms, ...facts, ...error },
      routineOf(c, status),
    );
    if (line !== null) write(line, c);
  };
}

/** Sampled together with the other lines of its connection. Undefined for failures, because they are always written. */
function routineOf(c: AppContext, status: number): Routine | undefined {
  if (status >= 500 || c.error !== undefined) return undefined;
  return { share: settingsOf(c.env).LOG_SAMPLE, key: c.get("facts").connection ?? c.get("requestId"), at: c.get("receivedAt") };
}

/** Corrects the request log if the result could not be rendered as logged, for example because a file has expired. */
function amendLogged(c: AppContext, status: number): void {
  const loggedStatus = c.get("loggedStatus");
  // This check comes first, because most requests need no correction.
  if (loggedStatus === undefined || loggedStatus === status) return;
  const { connection, code = null } = c.get("facts");
  if (connection !== undefined) c.executionCtx.waitUntil(amend(c.env, connection, { id: c.get("requestId"), status, code }));
}

async function amend(env: Env, connection: string, outcome: RequestOutcome): Promise<void> {
  try {
    await connectionStub(env, connection).amendRequest(outcome);
  } catch (error) {
    log("request.not_amended", { request: outcome.id, ...errorFields(error) });
  }
}

export const writeLine: WriteLine = (line) => console.log(line);
