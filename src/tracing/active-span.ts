// The current span. Untraced code stores none.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "./span.ts";

const active = new AsyncLocalStorage<Span>();

export function activeSpan(): Span | undefined {
  return active.getStore();
}

/** Also covers everything that `work` awaits. */
export function runInSpan<T>(span: Span, work: () => T): T {
  return active.run(span, work);
}
