import type { Logger } from "pino";
import { SpanExporter } from "@gateway/tracing/exporter.ts";
import { Tracer } from "@gateway/tracing/span.ts";
import { Sampler } from "@gateway/tracing/sampler.ts";
import { postTo } from "@gateway/tracing/settings.ts";
import type { BridgeMetrics } from "./metrics/bridge-metrics.ts";
import type { Settings } from "./settings.ts";

export function createTracer({ tracing, bridgeId }: Settings, logger: Logger, metrics: BridgeMetrics): Tracer | null {
  if (tracing === null) return null;
  const exporter = new SpanExporter({
    post: postTo(tracing, (url, init) => fetch(url, init)),
    resource: { "service.instance.id": bridgeId },
    onDropped: (spans) => {
      logger.warn({ spans }, "traces.not_exported");
      metrics.spansDropped(spans);
    },
  });
  return new Tracer("session-bridge", new Sampler(tracing.ratio), (span) => void exporter.add(span));
}
