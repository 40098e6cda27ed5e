import { describe, expect, it } from "vitest";
import * as z from "zod";
import { TRACING_VARIABLES, tracingSettings } from "@gateway/tracing/settings.ts";

const Variables = z.object(TRACING_VARIABLES);
const read = (endpoint?: string, headers?: string, ratio?: string) =>
  Variables.safeParse({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers, OTEL_TRACES_SAMPLER_ARG: ratio });
const settings = (...given: Parameters<typeof read>) => tracingSettings(read(...given).data!);

describe("traces", () => {
  it.each([[undefined], [""]])("are off with the endpoint %s", (endpoint) => expect(settings(endpoint, "", "1")).toBeNull());

  it.each(["https://collector.example.com", "https://collector.example.com/"])("are sent to /v1/traces at %s", (endpoint) =>
    expect(settings(endpoint)).toEqual({ url: "https://collector.example.com/v1/traces", headers: {}, ratio: 1 }),
  );

  it("are posted under the collector's base path, with its headers and the sampling ratio", () =>
    expect(settings("https://example.com/otlp", " authorization = Basic%20YTpi==,x-team=a%2Cb", "0.05")).toEqual({
      url: "https://example.com/otlp/v1/traces",
      headers: { authorization: "Basic YTpi==", "x-team": "a,b" },
      ratio: 0.05,
    }));
});

describe("a setting is refused", () => {
  it.each([
    ["no address", ["collector:4318"]],
    ["another protocol", ["ftp://example.com"]],
    ["a header without a value", ["https://example.com", "authorization"]],
    ["a header with a broken escape", ["https://example.com", "a=%zz"]],
    ["a ratio above 1", ["https://example.com", "", "1.5"]],
    ["a negative ratio", ["https://example.com", "", "-0.1"]],
    ["a ratio in words", ["https://example.com", "", "always"]],
  ] as const)("%s", (_name, given) => expect(read(...given).success).toBe(false));
});
