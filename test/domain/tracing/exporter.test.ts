// Spans on their way to a slow, unreachable or full collector.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SpanExporter } from "@gateway/tracing/exporter.ts";
import { type FinishedSpan, Tracer } from "@gateway/tracing/span.ts";
import { Sampler } from "@gateway/tracing/sampler.ts";

const START = 1_700_000_000_000;

beforeEach(() => vi.useFakeTimers({ now: START }));
afterEach(() => vi.useRealTimers());

const span = (name = "one"): FinishedSpan => ({
  service: "worker",
  context: { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" },
  parentId: null,
  name,
  kind: "server",
  startMs: START + 0.25,
  endMs: START + 12.5,
  attributes: { "http.route": "/messages/text", count: 3, replayed: true, nothing: null },
  failed: true,
});

type Body = { resourceSpans: { resource: object; scopeSpans: { spans: { name: string }[] }[] }[] };

function collector(answer: () => Promise<boolean> = async () => true) {
  const bodies: Body[] = [];
  const dropped: number[] = [];
  const exporter = new SpanExporter({
    post: (body) => {
      bodies.push(JSON.parse(body) as Body);
      return answer();
    },
    resource: { "service.instance.id": "eu-1" },
    onDropped: (spans) => dropped.push(spans),
  });
  const names = () =>
    bodies.map(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans[0]!.spans.map(({ name }) => name)));
  return { exporter, bodies, dropped, names };
}

it("spans that end within a second are sent in one request", async () => {
  const { exporter, names } = collector();
  const exporting = exporter.add(span("one"));
  expect(exporting).not.toBeNull();
  expect(exporter.add(span("two"))).toBeNull();
  await vi.advanceTimersByTimeAsync(1_000);
  await exporting;
  expect(names()).toEqual([["one", "two"]]);
  expect(exporter.add(span("three"))).not.toBeNull();
});

it("spans are written as OTLP specifies", async () => {
  const { exporter, bodies } = collector();
  void exporter.add(span());
  await vi.advanceTimersByTimeAsync(1_000);
  expect(bodies[0]).toEqual({
    resourceSpans: [
      {
        resource: {
          attributes: [
            { key: "service.namespace", value: { stringValue: "messaging-gateway" } },
            { key: "service.name", value: { stringValue: "worker" } },
            { key: "service.instance.id", value: { stringValue: "eu-1" } },
          ],
        },
        scopeSpans: [
          {
            scope: { name: "messaging-gateway" },
            spans: [
              {
                traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
                spanId: "00f067aa0ba902b7",
                name: "one",
                kind: 2,
                startTimeUnixNano: "1700000000000250000",
                endTimeUnixNano: "1700000000012500000",
                attributes: [
                  { key: "http.route", value: { stringValue: "/messages/text" } },
                  { key: "count", value: { intValue: "3" } },
                  { key: "replayed", value: { boolValue: true } },
                ],
                status: { code: 2 },
              },
            ],
          },
        ],
      },
    ],
  });
});

it.each([
  ["refuses", async () => false],
  ["is away", () => Promise.reject(new Error("connection refused"))],
])("a batch that the collector %s is given up, and the exporter says so and pauses for ten seconds", async (_how, answer) => {
  const { exporter, bodies, dropped } = collector(answer);
  const exporting = exporter.add(span());
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(exporting).resolves.toBeUndefined();
  expect(dropped).toEqual([1]);
  expect(exporter.add(span())).toBeNull();
  await vi.advanceTimersByTimeAsync(9_999);
  expect(exporter.add(span())).toBeNull();
  expect(bodies).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(exporter.add(span())).not.toBeNull();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(dropped).toEqual([1, 3]);
});

it("the exporter holds at most 2,048 spans, and sends at most 512 in a request", async () => {
  const { exporter, names, dropped } = collector();
  for (let count = 0; count < 3_000; count += 1) void exporter.add(span());
  await vi.advanceTimersByTimeAsync(1_000);
  expect(names().map((batch) => batch.length)).toEqual([512, 512, 512, 512]);
  expect(dropped).toEqual([]);
});

it("the exporter continues after an export that ended with its invocation", async () => {
  const { exporter } = collector(() => new Promise(() => undefined));
  void exporter.add(span());
  await vi.advanceTimersByTimeAsync(19_999);
  expect(exporter.add(span())).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  expect(exporter.add(span())).not.toBeNull();
});

it("a span names its parent, in this process and in the one before", () => {
  const ended: FinishedSpan[] = [];
  const tracer = new Tracer("worker", new Sampler(1), (finished) => ended.push(finished));
  const root = tracer.begin("request", "server", { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" })!;
  const child = root.child("step");
  const remote = tracer.resume(child.traceparent, "elsewhere", "server")!;
  for (const one of [remote, child, root]) one.end();
  root.end({ failed: true });
  expect(ended.map(({ name, parentId }) => [name, parentId])).toEqual([
    ["elsewhere", child.context.spanId],
    ["step", root.context.spanId],
    ["request", "00f067aa0ba902b7"],
  ]);
  expect(new Set(ended.map(({ context }) => context.traceId))).toEqual(new Set(["4bf92f3577b34da6a3ce929d0e0e4736"]));
  expect(ended.every(({ failed }) => !failed)).toBe(true);
  expect(tracer.resume("not a trace", "elsewhere", "server")).toBeNull();
});
