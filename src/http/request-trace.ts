// The span of a request, a child of the caller's `traceparent`.
import { tracersOf } from "../services/tracing/tracers.ts";
import { parseTraceparent } from "@gateway/tracing/trace-context.ts";
import { runInSpan } from "@gateway/tracing/active-span.ts";
import type { Span } from "@gateway/tracing/span.ts";
import type { AppContext } from "./app-env.ts";

/** Bridges trace their own requests. */
const INTERNAL = "/internal/";
const SERVER_ERROR = 500;

export async function traced(c: AppContext, next: () => Promise<void>): Promise<void> {
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
