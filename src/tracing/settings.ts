// The variables of OpenTelemetry that the gateway knows, of the worker and of a bridge alike, and the request that exports.
import { z } from "zod";
import type { PostSpans } from "./exporter.ts";

const EXPORT_TIMEOUT_MS = 5_000;
const TRACES_PATH = "/v1/traces";
const USER_AGENT = "Service-Tracing/1.0";

/** Empty counts as unset. */
export const TRACING_VARIABLES = {
  /** The collector's base address, without `/v1/traces`; unset: nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.union([z.literal(""), z.url({ protocol: /^https?$/ })]).default(""),
  /** `name=value`, separated by commas, values percent-encoded: the collector's credential, so a secret. */
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .refine((text) => headersOf(text) !== null, "must be name=value, separated by commas")
    .default(""),
  /** The share of requests and received messages that is traced, 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(|0|1|1\.0*|0?\.\d+)$/, "must be a number from 0 to 1")
    .default(""),
};

type Variables = z.output<z.ZodObject<typeof TRACING_VARIABLES>>;
export type TracingSettings = { url: string; headers: Record<string, string>; ratio: number };

/** Null: nothing is traced. */
export function tracingSettings(variables: Variables): TracingSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER_ARG: ratio } = variables;
  if (endpoint === "") return null;
  return {
    url: endpoint.replace(/\/+$/, "") + TRACES_PATH,
    headers: headersOf(OTEL_EXPORTER_OTLP_HEADERS) ?? {},
    ratio: ratio === "" ? 1 : Number(ratio),
  };
}

/** `send`: `fetch`, by whatever way leads to the operator's collector. */
export function postTo({ url, headers }: TracingSettings, send: typeof fetch): PostSpans {
  return async (body) => {
    const answer = await send(url, {
      method: "POST",
      headers: { "user-agent": USER_AGENT, ...headers, "content-type": "application/json" },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(EXPORT_TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return answer.ok;
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
