import * as z from "zod";
import type { PostSpans } from "./exporter.ts";

const EXPORT_TIMEOUT_MS = 5_000;
const TRACES_PATH = "/v1/traces";
const USER_AGENT = "Service-Tracing/1.0";

/** An empty variable is treated as unset. */
export const TRACING_VARIABLES = {
  /** The collector's base URL, without `/v1/traces`. Without it, nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.union([z.literal(""), z.url({ protocol: /^https?$/ })]).default(""),
  /** A secret with `name=value` pairs, separated by commas, with percent-encoded values. */
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .refine((text) => headersOf(text) !== null, "must be name=value, separated by commas")
    .default(""),
  /** Share of requests and received messages to trace, 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(|0|1|1\.0*|0?\.\d+)$/, "must be a number from 0 to 1")
    .default(""),
};

type Variables = z.output<z.ZodObject<typeof TRACING_VARIABLES>>;
export type TracingSettings = { url: string; headers: Record<string, string>; ratio: number };

export function tracingSettings(variables: Variables): TracingSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER_ARG: ratio } = variables;
  if (endpoint === "") return null;
  return {
    url: endpoint.replace(/\/+$/, "") + TRACES_PATH,
    headers: headersOf(OTEL_EXPORTER_OTLP_HEADERS) ?? {},
    ratio: ratio === "" ? 1 : Number(ratio),
  };
}

/** `send` is a `fetch` that reaches the collector. */
export function postTo({ url, headers }: TracingSettings, send: typeof fetch): PostSpans {
  return async (body) => {
    const response = await send(url, {
      method: "POST",
      headers: { "user-agent": USER_AGENT, ...headers, "content-type": "application/json" },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(EXPORT_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok;
  };
}

function headersOf(text: string): Record<string, string> | null {
  const headers: Record<string, string> = {};
  for (const pair of text.split(",").filter((one) => one.trim() !== "")) {
    const [, name, value] = /^\s*([\w.-]+)\s*=(.*)$/.exec(pair) ?? [];
    if (name === undefined || value === undefined) return null;
    try {
      headers[name] = decodeURIComponent(value.trim());
    } catch {
      return null;
    }
  }
  return headers;
}
