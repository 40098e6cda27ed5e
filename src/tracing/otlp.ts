// OTLP as JSON, by hand: OpenTelemetry's SDK would add 53 kB, and the runtime forbids its shared timers.
import type { Attributes, FinishedSpan, SpanKind } from "./span.ts";

const SCOPE = "messaging-gateway";
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, consumer: 5 };
const STATUS = { unset: 0, error: 2 } as const;
const MAX_VALUE_CHARACTERS = 200;

export function exportRequest(spans: readonly FinishedSpan[], resource: Attributes): string {
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
