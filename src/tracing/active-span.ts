// The span on whose behalf code runs, in the worker and its objects. Nothing is stored for what is not traced.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "./span.ts";

const active = new AsyncLocalStorage<Span>();

export function activeSpan(): Span | undefined {
  return active.getStore();
}

/** Calls `work` on behalf of the span, what it awaits included. */
export function runInSpan<T>(span: Span, work: () => T): T {
  return active.run(span, work);
}
