// Request traces: who starts one, how far a caller can influence it, and an unreachable collector.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createApp } from "#root/src/app.ts";
import type { Env } from "#root/src/env.ts";
import { never } from "#root/src/http/response-headers.ts";
import { fail } from "@gateway/protocol/failures.ts";
import type { Call } from "@gateway/protocol/connection.ts";
import { APP, freshKey, scriptedConnections } from "../support/gateway.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const ENDPOINT = "https://collector.example.com";

type Span = {
  traceId: string;
  parentSpanId?: string;
  name: string;
  status: { code: number };
  attributes: { key: string; value: object }[];
};

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => vi.useRealTimers());

/** The gateway with these settings, in front of a connection whose object returns `instance_not_connected`. */
function traced(settings: Partial<Env>, answer: () => Promise<Response> = async () => new Response("{}")) {
  const lines: Record<string, unknown>[] = [];
  const exports: Request[] = [];
  const objects = scriptedConnections(() => fail("instance_not_connected"));
  const app = createApp({ plainHttpAllowed: never, writeLine: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  const COLLECTOR = {
    fetch: (url: string, init: RequestInit) => {
      exports.push(new Request(url, init));
      return answer();
    },
  } as unknown as Fetcher;
  const bindings = { ...env, CONNECTION: objects.CONNECTION, COLLECTOR, ...settings } as unknown as Env;
  const { key } = freshKey();
  return {
    lines,
    exports,
    calls: objects.calls,
    async ask(headers: Record<string, string> = {}): Promise<{ status: number; call: Call }> {
      const request = new Request(`${APP}/api/v1/groups?fresh=${crypto.randomUUID()}`, { headers: { "x-api-key": key, ...headers } });
      const { status } = await app.fetch(request, bindings, createExecutionContext());
      return { status, call: objects.calls.at(-1)! };
    },
    /** All spans so far, after the batch was sent. */
    async spans(): Promise<Span[]> {
      await vi.advanceTimersByTimeAsync(1_000);
      const bodies = await Promise.all(exports.map((request) => request.clone().json<any>()));
      return bodies.flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }: any) => scopeSpans[0].spans));
    },
  };
}

const on = { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: "x-token=abc", OTEL_TRACES_SAMPLER_ARG: "1" };

describe("without an endpoint", () => {
  it("a request is not traced, whatever its caller sends", async () => {
    const gateway = traced({});
    const { call } = await gateway.ask({ traceparent: `00-${TRACE}-${CALLER}-01` });
    expect(call).not.toHaveProperty("trace");
    expect(gateway.lines[0]).not.toHaveProperty("trace_id");
    expect(await gateway.spans()).toEqual([]);
  });
});

describe("a traced request", () => {
  it("continues its caller's trace, logs its id, and passes it on", async () => {
    const gateway = traced(on);
    const { call } = await gateway.ask({ traceparent: `00-${TRACE}-${CALLER}-00` });
    expect(call.trace).toMatch(new RegExp(`^00-${TRACE}-(?!${CALLER})[0-9a-f]{16}-01$`));
    expect(gateway.lines).toMatchObject([{ event: "request", trace_id: TRACE, code: "instance_not_connected" }]);
    const [span] = await gateway.spans();
    expect(span).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, name: "GET /api/v1/groups", status: { code: 0 } });
    expect(span?.attributes).toContainEqual({ key: "gateway.code", value: { stringValue: "instance_not_connected" } });
    const sent = gateway.exports.map(({ url, headers }) => [url, headers.get("x-token"), headers.get("user-agent")]);
    expect(sent).toEqual([[`${ENDPOINT}/v1/traces`, "abc", "Service-Tracing/1.0"]]);
  });

  it.each([
    ["none", undefined],
    ["no traceparent", "<script>"],
    ["one of zeros", `00-${"0".repeat(32)}-${CALLER}-01`],
    ["a long one", `00-${TRACE}-${CALLER}-01${"-a".repeat(5_000)}`],
    ["two at once", `00-${TRACE}-${CALLER}-01, 00-${TRACE}-${CALLER}-01`],
  ])("starts a new trace with %s", async (_name, traceparent) => {
    const gateway = traced(on);
    const { call } = await gateway.ask(traceparent === undefined ? {} : { traceparent });
    const [span] = await gateway.spans();
    expect(span?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span?.traceId).not.toBe(TRACE);
    expect(span).not.toHaveProperty("parentSpanId");
    expect(call.trace).toContain(span?.traceId);
    expect(gateway.lines[0]?.["trace_id"]).toBe(span?.traceId);
  });
});

describe("sampling", () => {
  it("ignores the caller's sampling flag: only the operator decides", async () => {
    const gateway = traced({ ...on, OTEL_TRACES_SAMPLER_ARG: "0" });
    const { call } = await gateway.ask({ traceparent: `00-${TRACE}-${CALLER}-01` });
    expect(call).not.toHaveProperty("trace");
    // The log still contains the caller's trace id.
    expect(gateway.lines[0]?.["trace_id"]).toBe(TRACE);
    expect(await gateway.spans()).toEqual([]);
  });

  it("keeps a flood from the collector", async () => {
    // The clock stands still, because the sampler takes another 20 traces each second.
    vi.useFakeTimers({ toFake: ["Date", "setTimeout"] });
    const gateway = traced(on);
    for (let count = 0; count < 60; count += 1) await gateway.ask({ traceparent: `00-${TRACE}-${CALLER}-01` });
    const spans = await gateway.spans();
    expect(gateway.lines).toHaveLength(60);
    expect(spans).toHaveLength(20);
    expect(gateway.exports).toHaveLength(1);
  });
});

describe("a collector", () => {
  const hanging = Promise.withResolvers<Response>();

  it.each([
    ["is away", () => Promise.reject(new Error("connection refused"))],
    ["refuses", async () => new Response("no", { status: 401 })],
    ["answers with a redirect", async () => new Response(null, { status: 302, headers: { location: "https://elsewhere.example.com" } })],
    ["does not answer", () => hanging.promise],
  ])("changes no response when it %s", async (how, answer) => {
    const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const gateway = traced(on, answer);
    const first = await gateway.ask();
    expect((await gateway.spans()).length).toBe(1);
    const second = await gateway.ask();
    expect([first.status, second.status]).toEqual([409, 409]);
    const told = printed.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("traces.not_exported"));
    expect(told).toEqual(how === "does not answer" ? [] : ['{"event":"traces.not_exported","spans":1}']);
    printed.mockRestore();
    hanging.resolve(new Response("{}"));
  });
});
