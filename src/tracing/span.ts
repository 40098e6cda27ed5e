// Calls, frames and events carry a trace only if it is recorded. Untraced ones cost a single comparison.
import type { Sampler } from "./sampler.ts";

export type SpanKind = "internal" | "server" | "client" | "consumer";
/** Attributes contain only our own terms, ids and counts, never phone numbers, keys or texts. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type FinishedSpan = {
  service: string;
  context: TraceContext;
  parentId: string | null;
  name: string;
  kind: SpanKind;
  startMs: number;
  endMs: number;
  attributes: Attributes;
  failed: boolean;
};

type Begun = Pick<FinishedSpan, "service" | "kind"> & {
  name: string;
  parent: TraceContext | null;
  startMs: number;
  tick: number;
};
type Sink = (span: FinishedSpan) => void;

export class Span {
  readonly context: TraceContext;
  readonly #begun: Begun;
  readonly #sink: Sink;
  #attributes: Attributes;
  #ended = false;

  constructor(begun: Begun, attributes: Attributes, sink: Sink) {
    this.#begun = begun;
    this.#attributes = attributes;
    this.#sink = sink;
    this.context = { traceId: begun.parent?.traceId ?? randomHex(16), spanId: randomHex(8) };
  }

  get traceparent(): string {
    return formatTraceparent(this.context);
  }

  child(name: string, attributes: Attributes = {}, kind: SpanKind = "internal", tick = performance.now()): Span {
    const { service, startMs, tick: ownTick } = this.#begun;
    // Computed from the parent's clock, because two clocks that are read one after the other give different times.
    const begun = { service, name, kind, parent: this.context, startMs: startMs + (tick - ownTick), tick };
    return new Span(begun, attributes, this.#sink);
  }

  rename(name: string): void {
    this.#begun.name = name;
  }

  set(attributes: Attributes): void {
    this.#attributes = { ...this.#attributes, ...attributes };
  }

  /** Only the first call has an effect. `failed` marks an error of the gateway or the network. */
  end({ code, failed = false }: { code?: string | undefined; failed?: boolean } = {}, tick = performance.now()): void {
    if (this.#ended) return;
    this.#ended = true;
    const { service, name, kind, parent, startMs, tick: startTick } = this.#begun;
    const attributes = code === undefined ? this.#attributes : { ...this.#attributes, "gateway.code": code };
    const endMs = startMs + (tick - startTick);
    this.#sink({ service, name, kind, context: this.context, parentId: parent?.spanId ?? null, startMs, endMs, attributes, failed });
  }
}

export class Tracer {
  readonly #service: string;
  readonly #sampler: Sampler;
  readonly #sink: Sink;

  constructor(service: string, sampler: Sampler, sink: Sink) {
    this.#service = service;
    this.#sampler = sampler;
    this.#sink = sink;
  }

  /** Begins a trace for external input. Returns null if it is not sampled. `caller` is the caller's own trace. */
  begin(name: string, kind: SpanKind, caller: TraceContext | null, attributes: Attributes = {}, ageMs = 0): Span | null {
    const now = Date.now();
    return this.#sampler.takes(now) ? this.#span(name, kind, caller, attributes, now - ageMs, performance.now() - ageMs) : null;
  }

  /** Continues the trace of another process. Null if `trace` is not a valid trace. */
  resume(trace: string | null | undefined, name: string, kind: SpanKind, attributes: Attributes = {}, ageMs = 0): Span | null {
    const parent = parseTraceparent(trace);
    return parent === null ? null : this.#span(name, kind, parent, attributes, Date.now() - ageMs, performance.now() - ageMs);
  }

  #span(name: string, kind: SpanKind, parent: TraceContext | null, attributes: Attributes, startMs: number, tick: number): Span {
    return new Span({ service: this.#service, name, kind, parent, startMs, tick }, attributes, this.#sink);
  }
}

function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Lower-case hex with 32 and 16 digits, not all zeros. */
type TraceContext = { traceId: string; spanId: string };

const TRACEPARENT = /^(?<version>[0-9a-f]{2})-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-[0-9a-f]{2}(?<rest>-.*)?$/;
const MAX_CHARACTERS = 256;

/** Returns null if the text is invalid. Only the first four fields of later versions are read, as the W3C recommendation requires. */
export function parseTraceparent(text: string | null | undefined): TraceContext | null {
  if (text === null || text === undefined || text.length > MAX_CHARACTERS) return null;
  const { version, traceId, spanId, rest } = TRACEPARENT.exec(text)?.groups ?? {};
  if (traceId === undefined || spanId === undefined || version === "ff" || (version === "00" && rest !== undefined)) return null;
  return /[^0]/.test(traceId) && /[^0]/.test(spanId) ? { traceId, spanId } : null;
}

/** Only recorded spans are propagated, so the flag is always 01. */
export function formatTraceparent({ traceId, spanId }: TraceContext): string {
  return `00-${traceId}-${spanId}-01`;
}
