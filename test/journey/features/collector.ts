// A trace collector on loopback that turns OTLP/HTTP JSON into spans.
import { Receiver } from "../../support/receiver.ts";

type Value = { stringValue?: string; intValue?: string; boolValue?: boolean; doubleValue?: number };
type Attribute = { key: string; value: Value };
type SentSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code: number };
};
type Export = { resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }[] };

export type CollectedSpan = {
  service: string;
  traceId: string;
  spanId: string;
  parentId: string | null;
  name: string;
  /** Unix ms. */
  start: number;
  end: number;
  attributes: Record<string, string | number | boolean>;
  failed: boolean;
};

export class Collector {
  readonly #receiver: Receiver;

  private constructor(receiver: Receiver) {
    this.#receiver = receiver;
  }

  static async start(): Promise<Collector> {
    return new Collector(await Receiver.start("any"));
  }

  /** Value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get endpoint(): string {
    return new URL(this.#receiver.url).origin;
  }

  /** Requests as received. */
  get requests() {
    return this.#receiver.received;
  }

  /** All spans so far, or those of one trace. */
  spans(traceId?: string): CollectedSpan[] {
    const all = this.#receiver
      .events<Export>()
      .flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ resource, scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) => spans.map((span) => collected(span, String(plain(resource.attributes)["service.name"])))),
        ),
      );
    return traceId === undefined ? all : all.filter((span) => span.traceId === traceId);
  }

  stop(): Promise<void> {
    return this.#receiver.stop();
  }
}

/** The trace as an indented tree for readers: each span's offset, duration and name. */
export function treeOf(spans: readonly CollectedSpan[]): string {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const start = Math.min(...spans.map((span) => span.start));
  const below = (parent: CollectedSpan | null, depth: number): string[] =>
    spans
      .filter(({ parentId }) => (parent === null ? parentId === null || !known.has(parentId) : parentId === parent.spanId))
      .toSorted((a, b) => a.start - b.start)
      .flatMap((span) => [lineOf(span, depth, start), ...below(span, depth + 1)]);
  return below(null, 0).join("\n");
}

function lineOf({ name, service, start, end, attributes, failed }: CollectedSpan, depth: number, zero: number): string {
  const times = `${(start - zero).toFixed(1).padStart(7)} ms ${(end - start).toFixed(1).padStart(7)} ms`;
  const code = attributes["gateway.code"] === undefined ? "" : ` ${attributes["gateway.code"]}`;
  return `${times}  ${"  ".repeat(depth)}${name} (${service})${code}${failed ? " FAILED" : ""}`;
}

function collected(span: SentSpan, service: string): CollectedSpan {
  const ms = (nanoseconds: string) => Number(BigInt(nanoseconds) / 1_000n) / 1_000;
  return {
    service,
    traceId: span.traceId,
    spanId: span.spanId,
    parentId: span.parentSpanId ?? null,
    name: span.name,
    start: ms(span.startTimeUnixNano),
    end: ms(span.endTimeUnixNano),
    attributes: plain(span.attributes),
    failed: span.status.code === 2,
  };
}

function plain(attributes: readonly Attribute[]): CollectedSpan["attributes"] {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, boolValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? doubleValue ?? Number(intValue),
    ]),
  );
}
