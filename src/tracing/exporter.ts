// Exports finished spans in batches. Memory is bounded, callers never wait, and a failing collector has no effect on them.
import type { Attributes, FinishedSpan, SpanKind } from "./span.ts";

const MAX_WAITING = 2_048;
const MAX_BATCH = 512;
/** How long the first span of a batch waits for others. */
const BATCH_DELAY_MS = 1_000;
const RETRY_AFTER_MS = 10_000;
/** An export that takes longer is considered lost, because the invocation that ran it has ended by then. */
const EXPORT_LOST_AFTER_MS = 20_000;

/** Resolves to true if the collector accepted the spans. May reject. */
export type PostSpans = (body: string) => Promise<boolean>;

export type ExporterOptions = {
  post: PostSpans;
  resource?: Attributes;
  /** Called if the collector did not accept spans, or too many were waiting. */
  onDropped: (spans: number) => void;
  batchDelayMs?: number;
};

export class SpanExporter {
  readonly #options: ExporterOptions;
  #waiting: FinishedSpan[] = [];
  #overflowed = 0;
  /** When the running export began (Unix ms), or 0 if none is running. */
  #exportingSince = 0;
  #retryAt = 0;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  /** Returns the export that this span started, so that the caller can keep it alive. */
  add(span: FinishedSpan): Promise<void> | null {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(span);
    else this.#overflowed += 1;
    const now = Date.now();
    const isUnderWay = this.#exportingSince > 0 && now - this.#exportingSince < EXPORT_LOST_AFTER_MS;
    if (isUnderWay || now < this.#retryAt) return null;
    this.#exportingSince = now;
    return this.#export().finally(() => {
      this.#exportingSince = 0;
    });
  }

  async #export(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.#options.batchDelayMs ?? BATCH_DELAY_MS));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      const body = exportRequest(batch, this.#options.resource ?? {});
      const taken = await this.#options.post(body).catch(() => false);
      if (taken) continue;
      this.#retryAt = Date.now() + RETRY_AFTER_MS;
      this.#options.onDropped(batch.length + this.#overflowed);
      this.#overflowed = 0;
      return;
    }
  }
}

// OTLP as JSON. It is written by hand, because OpenTelemetry's SDK would add 53 kB, and the runtime forbids the shared timers that it uses.
const SCOPE = "messaging-gateway";
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, consumer: 5 };
const STATUS = { unset: 0, error: 2 } as const;
const MAX_VALUE_CHARACTERS = 200;

function exportRequest(spans: readonly FinishedSpan[], resource: Attributes): string {
  const services = [...new Set(spans.map(({ service }) => service))];
  return JSON.stringify({
    resourceSpans: services.map((service) => ({
      resource: { attributes: attributesOf({ "service.namespace": SCOPE, "service.name": service, ...resource }) },
      scopeSpans: [{ scope: { name: SCOPE }, spans: spans.filter((span) => span.service === service).map(spanOf) }],
    })),
  });
}

function spanOf({ context, parentId, name, kind, startMs, endMs, attributes, failed }: FinishedSpan) {
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(parentId === null ? {} : { parentSpanId: parentId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: attributesOf(attributes),
    status: { code: failed ? STATUS.error : STATUS.unset },
  };
}

/** A string, because the number exceeds the precision of JSON numbers. */
function nanoseconds(ms: number): string {
  return (BigInt(Math.round(ms * 1_000)) * 1_000n).toString();
}

function attributesOf(attributes: Attributes): { key: string; value: object }[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: valueOf(value) }],
  );
}

function valueOf(value: string | number | boolean): object {
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "string") return { stringValue: value.slice(0, MAX_VALUE_CHARACTERS) };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
