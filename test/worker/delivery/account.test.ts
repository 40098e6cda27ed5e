// The Account API's endpoints: a change in D1 is pushed to the object and takes effect at once.
import type { OperationContext } from "#root/durable-objects/connection/handlers.ts";
import { endpointHandlers } from "#root/durable-objects/connection/delivery/account-endpoints.ts";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { AccountEndpoint } from "@gateway/protocol/connection.ts";
import { accountEvent } from "../../support/events/account-events.ts";
import {
  respond204,
  type Connection,
  connection,
  endpoint,
  freezeTime,
  must,
  received,
  respond500,
  SECOND,
  neverRespond,
  START,
} from "./delivery-connection.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

beforeEach(() => freezeTime());

const push = (fixture: Connection, ...endpoints: AccountEndpoint[]) =>
  fixture.in(({ deliveries }) => deliveries.account.replace(endpoints));
const urls = (fixture: Connection) => fixture.outside.arrivals.map(({ url }) => url);

describe("a delivery that waits for its retry", () => {
  it("goes to the new URL, with the new headers and secret", async () => {
    const fixture = connection();
    const hook = endpoint({ secret: "old" });
    await push(fixture, hook);
    fixture.outside.answer = respond500;
    await fixture.emit(received());
    await push(fixture, { ...hook, url: "https://new.example.com/", headers: { "X-New": "1" }, secret: null });
    fixture.outside.answer = respond204;
    await fixture.runUntil(START + 11 * SECOND);
    expect(urls(fixture)).toEqual([hook.url, "https://new.example.com/"]);
    expect(fixture.outside.arrivals[1]?.headers.get("x-new")).toBe("1");
    expect(fixture.outside.arrivals[1]?.headers.has("x-service-signature")).toBe(false);
    expect(fixture.outside.arrivals[1]?.body).toBe(fixture.outside.arrivals[0]?.body);
  });

  it("obeys the new number of retries", async () => {
    const fixture = connection();
    const hook = endpoint({ retry_count: 5 });
    await push(fixture, hook);
    fixture.outside.answer = respond500;
    await fixture.emit(received());
    await push(fixture, { ...hook, retry_count: 1 });
    await fixture.runUntil(START + 10 * HOUR_MS);
    expect(fixture.outside.arrivals).toHaveLength(2);
  });

  it("is never sent once the endpoint is removed", async () => {
    const fixture = connection();
    const [gone, stays] = [endpoint(), endpoint({ url: "https://stays.example.com/" })];
    await push(fixture, gone, stays);
    fixture.outside.answer = respond500;
    await fixture.emit(received());
    await push(fixture, stays);
    await fixture.runUntil(START + 10 * HOUR_MS);
    expect(urls(fixture).filter((url) => url === gone.url)).toHaveLength(1);
    expect(urls(fixture).filter((url) => url === stays.url)).toHaveLength(4);
    expect(await fixture.in((_, sql) => sql.exec("SELECT count(*) AS n FROM endpoint").one())).toEqual({ n: 1 });
  });

  it("is skipped when the endpoint is switched off, and can be resent when it is on again", async () => {
    const fixture = connection();
    const hook = endpoint();
    await push(fixture, hook);
    fixture.outside.answer = respond500;
    await fixture.emit(received());
    await push(fixture, { ...hook, is_active: false });
    await fixture.emit(received());
    await fixture.runUntil(START + 10 * HOUR_MS);
    expect(fixture.outside.arrivals).toHaveLength(1);
    const query = { status: null, event: null, limit: 10, before: null };
    expect(must(await fixture.in(({ deliveries }) => deliveries.account.deliveries.page(hook.id, query))).items).toMatchObject([
      { status: "skipped", last_error: "webhook_disabled" },
    ]);
    await push(fixture, hook);
    fixture.outside.answer = respond204;
    must(await fixture.in(({ deliveries }) => deliveries.account.deliveries.resendFailed(hook.id, START, null)));
    await fixture.runUntil(START + 10 * HOUR_MS + SECOND);
    expect(fixture.outside.arrivals).toHaveLength(2);
  });
});

describe("an attempt in flight", () => {
  it("is cancelled and made at the new URL at once, as the same attempt", async () => {
    const fixture = connection();
    const hook = endpoint({ timeout_ms: 30_000 });
    await push(fixture, hook);
    fixture.outside.answer = neverRespond;
    await fixture.emit(received());
    fixture.outside.answer = respond204;
    await push(fixture, { ...hook, url: "https://new.example.com/" });
    await fixture.settle();
    await fixture.alarm();
    expect(urls(fixture)).toEqual([hook.url, "https://new.example.com/"]);
    const query = { status: null, event: null, limit: 10, before: null };
    expect(must(await fixture.in(({ deliveries }) => deliveries.account.deliveries.page(hook.id, query))).items).toMatchObject([
      { status: "delivered", attempts: 1 },
    ]);
  });

  it("is cancelled when the endpoint is removed", async () => {
    const fixture = connection();
    await push(fixture, endpoint({ timeout_ms: 30_000 }));
    fixture.outside.answer = neverRespond;
    await fixture.emit(received());
    await push(fixture);
    await fixture.runUntil(START + HOUR_MS);
    expect(fixture.outside.arrivals).toHaveLength(1);
    expect(await fixture.in((_, sql) => sql.exec("SELECT count(*) AS n FROM delivery").one())).toEqual({ n: 0 });
    await fixture.runUntil(START + 25 * HOUR_MS);
    expect(await fixture.in((_, sql) => sql.exec("SELECT count(*) AS n FROM body").one())).toEqual({ n: 0 });
    expect(await fixture.dueAt()).toBeNull();
  });
});

it("the object writes only what a push has changed", async () => {
  const fixture = connection();
  const [signed, plain] = [endpoint({ secret: "a", headers: { "X-One": "1" } }), endpoint({ url: "https://plain.example.com/" })];
  await push(fixture, signed, plain);
  await fixture.evict();
  const written = (...endpoints: AccountEndpoint[]) =>
    fixture.in(({ deliveries }, sql) => {
      const exec = vi.spyOn(sql, "exec");
      deliveries.account.replace(endpoints);
      const tables = exec.mock.calls.map(([query]) => /^(?:INSERT.* INTO|UPDATE|DELETE FROM) (\w+)/.exec(query)?.[1]);
      exec.mockRestore();
      return tables.filter((table) => table !== undefined);
    });
  expect(await written(signed, plain)).toEqual(["account_endpoints"]);
  expect(await written(signed, { ...plain, timeout_ms: 6_000 })).toEqual(["account_endpoints", "endpoint"]);
  expect(await written({ ...signed, secret: "b" }, { ...plain, timeout_ms: 6_000 })).toEqual(["account_endpoints", "secret", "secret"]);
  expect(await written({ ...signed, secret: null }, { ...plain, timeout_ms: 6_000 })).toEqual(["account_endpoints", "secret"]);
});

it("the second of two simultaneous pushes is applied", async () => {
  const fixture = connection();
  const hook = endpoint({ secret: "a" });
  await fixture.in(({ deliveries }) => {
    deliveries.account.replace([hook]);
    deliveries.account.replace([{ ...hook, url: "https://last.example.com/", secret: null }]);
  });
  await fixture.emit(received());
  expect(urls(fixture)).toEqual(["https://last.example.com/"]);
});

it("an older revision of the account's endpoints is ignored, also after a restart", async () => {
  const fixture = connection();
  const hook = endpoint();
  const take = (url: string, revision: number) => fixture.in(({ deliveries }) => deliveries.account.replace([{ ...hook, url }], revision));
  await take("https://second.example.com/", 2);
  await take("https://first.example.com/", 1);
  await fixture.evict();
  await take("https://first.example.com/", 1);
  await fixture.emit(received());
  expect(urls(fixture)).toEqual(["https://second.example.com/"]);
});

it("an older revision that was read from a restored D1 applies unless a push arrives during the read", async () => {
  const fixture = connection();
  const hook = endpoint();
  await fixture.in(({ deliveries: { account } }) => {
    account.replace([{ ...hook, url: "https://lost.example.com/" }], 9);
    account.reread([{ ...hook, url: "https://restored.example.com/" }], 4, 9);
    account.replace([{ ...hook, url: "https://pushed.example.com/" }], 10);
    account.reread([{ ...hook, url: "https://late.example.com/" }], 5, 4);
  });
  await fixture.emit(received());
  expect(urls(fixture)).toEqual(["https://pushed.example.com/"]);
  await fixture.in(({ deliveries: { account } }) => account.reread([{ ...hook, url: "https://restored.example.com/" }], 4, 10));
  await fixture.evict();
  await fixture.emit(received());
  expect(urls(fixture)).toEqual(["https://pushed.example.com/", "https://restored.example.com/"]);
  expect(await fixture.in(({ deliveries }) => deliveries.account.revision)).toBe(4);
});

it("a delivery fails with url_not_allowed when the rules no longer allow its URL", async () => {
  const fixture = connection();
  const hook = endpoint({ url: "https://10.0.0.1/", retry_count: 0 });
  await push(fixture, hook);
  await fixture.emit(received());
  expect(fixture.outside.arrivals).toEqual([]);
  const query = { status: null, event: null, limit: 10, before: null };
  expect(must(await fixture.in(({ deliveries }) => deliveries.account.deliveries.page(hook.id, query))).items).toMatchObject([
    { status: "failed", last_error: "url_not_allowed" },
  ]);
  expect(
    must(
      await fixture.in(({ deliveries }) =>
        endpointHandlers(deliveries.account)["endpoints.test"]({ endpoint_id: hook.id }, {} as OperationContext),
      ),
    ),
  ).toEqual({
    http_status: null,
    latency_ms: 0,
    error: "url_not_allowed",
  });
});

it("an endpoint is tested by an event in the Account API's style", async () => {
  const fixture = connection();
  const hook = endpoint();
  await push(fixture, hook);
  must(
    await fixture.in(({ deliveries }) =>
      endpointHandlers(deliveries.account)["endpoints.test"]({ endpoint_id: hook.id }, {} as OperationContext),
    ),
  );
  const timestamp = new Date(START).toISOString();
  const body = accountEvent("webhook.test").parse(JSON.parse(fixture.outside.arrivals[0]?.body ?? ""));
  expect(body).toMatchObject({ timestamp, data: { timestamp } });
});

it("an endpoint is never disabled automatically", async () => {
  const fixture = connection();
  const hook = endpoint({ retry_count: 0 });
  await push(fixture, hook);
  fixture.outside.answer = respond500;
  await fixture.emit(received());
  await fixture.runUntil(START + 100 * HOUR_MS);
  await fixture.emit(received());
  await fixture.runUntil(START + 101 * HOUR_MS);
  await fixture.emit(received());
  expect(fixture.outside.arrivals).toHaveLength(3);
  expect(fixture.outside.mails).toEqual([]);
});

it("the account's guard is told of a failing endpoint once an hour, however often the object is evicted", async () => {
  const fixture = connection();
  await fixture.in(({ deliveries }) => deliveries.account.replace([endpoint({ retry_count: 0 })]));
  fixture.outside.answer = respond500;
  for (let minute = 0; minute < 5; minute += 1) {
    await fixture.emit(received());
    await fixture.evict();
    vi.setSystemTime(Date.now() + 60_000);
  }
  expect(fixture.outside.notified).toBe(1);
  vi.setSystemTime(Date.now() + 3_600_000);
  await fixture.emit(received());
  expect(fixture.outside.notified).toBe(2);
});
