// The tracers of the worker and its objects: one exporter per isolate.
import { waitUntil } from "cloudflare:workers";
import { type Env, settingsOf } from "../../env.ts";
import { log } from "../../log.ts";
import { SpanExporter } from "@gateway/tracing/exporter.ts";
import { Tracer } from "@gateway/tracing/span.ts";
import { Sampler } from "@gateway/tracing/sampler.ts";
import { postTo, type TracingSettings, tracingSettings } from "@gateway/tracing/settings.ts";

export type Tracers = { worker: Tracer; object: Tracer } | null;

const known = new WeakMap<object, { tracers: Tracers }>();

export function tracersOf(env: Env): Tracers {
  const made = known.get(env);
  if (made !== undefined) return made.tracers;
  const tracers = makeTracers(env);
  known.set(env, { tracers });
  return tracers;
}

/** A span may end where `waitUntil` is not available. That must not make the traced work fail. */
function keepAlive(exporting: Promise<void>): void {
  try {
    waitUntil(exporting);
  } catch {}
}

/** Does not report invalid settings, because requests must be logged in any case and other code reports these settings. */
function settingsFor(env: Env): TracingSettings | null {
  try {
    return tracingSettings(settingsOf(env));
  } catch {
    return null;
  }
}

function makeTracers(env: Env): Tracers {
  if ((env.OTEL_EXPORTER_OTLP_ENDPOINT ?? "") === "") return null;
  const settings = settingsFor(env);
  if (settings === null) return null;
  const exporter = new SpanExporter({
    post: postTo(settings, (url, init) => (env.COLLECTOR === undefined ? fetch(url, init) : env.COLLECTOR.fetch(url, init))),
    onDropped: (spans) => log("traces.not_exported", { spans }),
  });
  const sampler = new Sampler(settings.ratio);
  const tracer = (service: string) =>
    new Tracer(service, sampler, (span) => {
      const exporting = exporter.add(span);
      if (exporting !== null) keepAlive(exporting);
    });
  return { worker: tracer("worker"), object: tracer("connection-object") };
}
