// One trace from a request to the network's acknowledgement, and one from a received message to its webhook, as an operator's collector
// receives them from worker, object and bridge.
import { afterAll, beforeAll, expect, it } from "vitest";
import { customer, person, phones } from "../../support/clients.ts";
import { type CollectedSpan, Collector, treeOf } from "./collector.ts";
import { eventually } from "../../support/eventually.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok } from "../../support/replies.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const REQUEST = "POST /api/v1/messages/text";
const SECRET = "collector-credential";
const BIA = "5511933340001";
/** Clock tolerance: two processes on one machine with millisecond clocks, either of which may be interrupted. */
const CLOCK_MS = 50;

let sandbox: Sandbox;
let collector: Collector;
let receiver: Receiver;
let api: ReturnType<typeof customer>;

beforeAll(async () => {
  [collector, receiver] = await Promise.all([Collector.start(), Receiver.start()]);
  sandbox = await startSandbox([], {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${SECRET}`,
    OTEL_TRACES_SAMPLER_ARG: "1",
  });
  const ready = sandbox.ready();
  api = customer(ready);
  await phones(ready).create(BIA, "Bia");
  await (await person(ready)).call("PUT", `/connections/${ready.demo.connection.id}/webhook`, { url: receiver.url });
});
afterAll(async () => {
  await sandbox.dispose();
  await Promise.all([collector.stop(), receiver.stop()]);
});

/** The trace's spans, once every name has occurred. */
const traceWith = (traceId: string, names: readonly string[]) =>
  eventually(`spans ${names.join(", ")}`, 60_000, () => {
    const spans = collector.spans(traceId);
    return names.every((name) => spans.some((span) => span.name === name)) ? spans : null;
  });

function expectWithin(inner: CollectedSpan, outer: CollectedSpan): void {
  expect(inner.parentId, `${inner.name} below ${outer.name}`).toBe(outer.spanId);
  expect(inner.end, `${inner.name} ends`).toBeGreaterThanOrEqual(inner.start);
  expect(inner.start, `${inner.name} in ${outer.name}`).toBeGreaterThanOrEqual(outer.start - CLOCK_MS);
  expect(inner.end, `${inner.name} in ${outer.name}`).toBeLessThanOrEqual(outer.end + CLOCK_MS);
}

it("a trace follows a send from the request to the network's acknowledgement and its webhook", async () => {
  const { message_id } = await ok(api.text(BIA, "a traced text", { traceparent: `00-${TRACE}-${CALLER}-00`, "idempotency-key": "traced" }));
  await receiver.waitFor("message.sent", 60_000, ({ type, data }) => type === "message.sent" && data.message_id === message_id);
  const inside = ["admission", "session wait", "store", "outbox wait"];
  const inOrder = ["preparing", "relaying", "queued", "network acknowledgement"];
  const spans = await traceWith(TRACE, [REQUEST, "messages.send", ...inside, "bridge send", ...inOrder, "commit", "webhook attempt"]);
  console.log(`one send\n${treeOf(spans)}`);
  const one = (name: string): CollectedSpan => {
    const found = spans.filter((span) => span.name === name);
    expect(found, name).toHaveLength(1);
    return found[0]!;
  };

  const request = one(REQUEST);
  expect(request).toMatchObject({ service: "worker", parentId: CALLER, failed: false });
  expect(request.attributes).toMatchObject({
    "http.route": "/api/v1/messages/text",
    "http.response.status_code": 200,
    "gateway.operation": "messages.send",
    "gateway.connection": sandbox.ready().demo.connection.instance_id,
  });
  const call = one("messages.send");
  expect(call.service).toBe("connection-object");
  expectWithin(call, request);
  for (const name of inside) expectWithin(one(name), call);
  const send = one("bridge send");
  expect(send.service).toBe("session-bridge");
  expect(send.attributes["gateway.outcome"]).toBe("acknowledged");
  expectWithin(send, one("outbox wait"));
  const stages = inOrder.map(one);
  for (const stage of stages) expectWithin(stage, send);
  expect(stages.map(({ start }) => start)).toEqual(stages.map(({ start }) => start).toSorted((a, b) => a - b));
  expect(one("network acknowledgement").end - one("network acknowledgement").start).toBeGreaterThan(0);
  const commit = one("commit");
  expect(commit).toMatchObject({ service: "connection-object", parentId: send.spanId });
  const attempt = one("webhook attempt");
  expect(attempt).toMatchObject({ service: "connection-object", parentId: commit.spanId, failed: false });
  expect(attempt.attributes).toMatchObject({ "gateway.event": "message.sent", "gateway.attempt": 1, "http.response.status_code": 200 });

  await eventually("the request's log line", 60_000, () => sandbox.logs().includes(`"trace_id":"${TRACE}"`));
  expect(
    sandbox
      .logs()
      .split("\n")
      .filter((line) => line.includes(TRACE)),
  ).toHaveLength(1);
});

it("a trace follows a received message to its webhook, to the repeated attempt too", async () => {
  const ready = sandbox.ready();
  let failures = 1;
  receiver.reply = ({ body }, response) => response.writeHead(body.includes("message.received") && failures-- > 0 ? 500 : 200).end();
  const { message_id } = (await phones(ready).send(BIA, { to: ready.demo.connection.phone!, text: "a traced answer" })).body;
  const delivered = await receiver.waitFor(
    "message.received",
    60_000,
    ({ type, data }) => type === "message.received" && data.message_id === message_id,
  );
  expect(delivered.headers["traceparent"]).toBeUndefined();
  const { id: deliveryId } = JSON.parse(delivered.body) as { id: string };
  const attempts = await eventually("both attempts", 60_000, () => {
    const sofar = collector.spans().filter(({ attributes }) => attributes["gateway.delivery_id"] === deliveryId);
    return sofar.length === 2 ? sofar.toSorted((one, other) => one.start - other.start) : null;
  });
  const spans = await traceWith(attempts[0]!.traceId, ["receive message", "report", "commit"]);
  console.log(`one received message\n${treeOf(spans)}`);
  const [root, report, commit] = ["receive message", "report", "commit"].map((name) => spans.find((span) => span.name === name)!);
  expect(root).toMatchObject({ service: "session-bridge", parentId: null });
  expect(root!.end).toBeGreaterThan(root!.start);
  expectWithin(report!, root!);
  expectWithin(commit!, report!);
  expect(attempts).toMatchObject([
    { parentId: commit!.spanId, failed: true, attributes: { "gateway.attempt": 1, "http.response.status_code": 500 } },
    { parentId: commit!.spanId, failed: false, attributes: { "gateway.attempt": 2, "http.response.status_code": 200 } },
  ]);
});

it("a trace follows an operation that is not a send to the bridge and back", async () => {
  const traceId = TRACE.replaceAll("4", "5");
  await ok(api.call("GET", "/profile", undefined, { traceparent: `00-${traceId}-${CALLER}-01` }));
  const spans = await traceWith(traceId, ["GET /api/v1/profile", "profile.get", "ask profile.get", "bridge profile.get"]);
  const [request, call, asked, done] = ["GET /api/v1/profile", "profile.get", "ask profile.get", "bridge profile.get"].map((name) =>
    spans.find((span) => span.name === name)!,
  );
  expectWithin(call!, request!);
  expectWithin(asked!, call!);
  expectWithin(done!, asked!);
});

it("the exporter authenticates at the collector, and sends it no customer data", () => {
  expect(new Set(collector.requests.map(({ path, headers }) => `${path} ${headers["authorization"]}`))).toEqual(
    new Set([`/v1/traces Bearer ${SECRET}`]),
  );
  const { api_key, phone } = sandbox.ready().demo.connection;
  for (const { body } of collector.requests) {
    for (const secret of [BIA, phone!, api_key, "a traced", receiver.url]) expect(body).not.toContain(secret);
  }
  expect(sandbox.logs() + sandbox.output()).not.toContain(SECRET);
});
