// Spans of calls, commits with traced events, and delivery attempts (docs/operate/tracing.md, "Traces"). Untraced work gets none.
import type { Call, CallResult } from "@gateway/protocol/connection.ts";
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import type { Attributes, Span, Tracer } from "@gateway/tracing/span.ts";
import { runInSpan } from "@gateway/tracing/active-span.ts";

export type TracedCommit = { events: KeyedEvent[]; end: (failed: boolean) => void };

export type TracedAttempt = { trace: string; latencyMs: number; failed: boolean; attributes: Attributes };

const FAULTS: ReadonlySet<string> = new Set(["internal_error", "unavailable", "network_timeout", "network_error", "send_outcome_unknown"]);

export class ConnectionTraces {
  readonly #tracer: Tracer | null;
  readonly #connection: string;

  constructor(tracer: Tracer | null, connection: string) {
    this.#tracer = tracer;
    this.#connection = connection;
  }

  /** Performs a call within a span. `perform` calls `admitted` once the call is admitted. */
  async call({ trace, operation, requestId }: Call, perform: (admitted: () => void) => Promise<CallResult>): Promise<CallResult> {
    const span = this.#tracer?.resume(trace, operation ?? "call", "server", {
      "gateway.operation": operation,
      "gateway.request_id": requestId,
      "gateway.connection": this.#connection,
    });
    if (span === undefined || span === null) return perform(() => undefined);
    const admission = span.child("admission");
    const result = await runInSpan(span, () => perform(() => admission.end()));
    const code = result.ok ? undefined : result.failure.code;
    admission.end({ code });
    span.set({ "gateway.replayed": result.replayed });
    span.end({ code, failed: code !== undefined && FAULTS.has(code) });
    return result;
  }

  commit(events: KeyedEvent[]): TracedCommit {
    if (!events.some(({ trace }) => trace !== undefined)) return { events, end: () => undefined };
    const spans: Span[] = [];
    const followed = events.map(({ trace, ...untraced }): KeyedEvent => {
      const attributes = { "gateway.event": untraced.event.type, "gateway.connection": this.#connection };
      const span = this.#tracer?.resume(trace, "commit", "consumer", attributes) ?? null;
      if (span === null) return untraced;
      spans.push(span);
      return { ...untraced, trace: span.traceparent };
    });
    return { events: followed, end: (failed) => spans.forEach((span) => span.end({ failed })) };
  }

  attempt({ trace, latencyMs, failed, attributes }: TracedAttempt): void {
    const all = { ...attributes, "gateway.connection": this.#connection };
    this.#tracer?.resume(trace, "webhook attempt", "client", all, latencyMs)?.end({ failed });
  }
}
