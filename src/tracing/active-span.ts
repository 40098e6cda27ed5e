// The current span. Code that is not traced stores none.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "./span.ts";

const active = new AsyncLocalStorage<Span>();

export function activeSpan(): Span | undefined {
  return active.getStore();
}

/** The span also covers everything that `work` awaits. */
export function runInSpan<T>(span: Span, work: () => T): T {
  return active.run(span, work);
}
