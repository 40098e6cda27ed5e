// The Account API's endpoints: a change in D1 is pushed here, and binds at once.
import { beforeEach, describe, expect, it } from "vitest";
import type { AccountEndpoint } from "../../../src/protocol/account-endpoint.ts";
import { accountEvent } from "../../support/account-events.ts";
import { accept, type Connection, connection, endpoint, freezeTime, must, received, refuse, SECOND, silence, START } from "./world.ts";
import { HOUR_MS } from "../../../src/protocol/units.ts";

beforeEach(() => freezeTime());

const push = (world: Connection, ...endpoints: AccountEndpoint[]) => world.in(({ deliveries }) => deliveries.account.replace(endpoints));
const urls = (world: Connection) => world.outside.arrivals.map(({ url }) => url);

describe("a delivery that waits for its retry", () => {
  it("goes to the new URL, with the new headers and secret", async () => {
    const world = connection();
    const hook = endpoint({ secret: "old" });
    await push(world, hook);
    world.outside.answer = refuse;
    await world.happen(received());
    await push(world, { ...hook, url: "https://new.example.com/", headers: { "X-New": "1" }, secret: null });
    world.outside.answer = accept;
    await world.runUntil(START + 11 * SECOND);
    expect(urls(world)).toEqual([hook.url, "https://new.example.com/"]);
    expect(world.outside.arrivals[1]?.headers.get("x-new")).toBe("1");
    expect(world.outside.arrivals[1]?.headers.has("x-service-signature")).toBe(false);
    expect(world.outside.arrivals[1]?.body).toBe(world.outside.arrivals[0]?.body);
  });

  it("obeys the new number of retries", async () => {
    const world = connection();
    const hook = endpoint({ retry_count: 5 });
    await push(world, hook);
    world.outside.answer = refuse;
    await world.happen(received());
    await push(world, { ...hook, retry_count: 1 });
    await world.runUntil(START + 10 * HOUR_MS);
    expect(world.outside.arrivals).toHaveLength(2);
  });

  it("is never sent once the endpoint is gone", async () => {
    const world = connection();
    const [gone, stays] = [endpoint(), endpoint({ url: "https://stays.example.com/" })];
    await push(world, gone, stays);
    world.outside.answer = refuse;
    await world.happen(received());
    await push(world, stays);
    await world.runUntil(START + 10 * HOUR_MS);
    expect(urls(world).filter((url) => url === gone.url)).toHaveLength(1);
    expect(urls(world).filter((url) => url === stays.url)).toHaveLength(4);
    expect(await world.in((_, sql) => sql.exec("SELECT count(*) AS n FROM endpoint").one())).toEqual({ n: 1 });
  });

  it("is skipped when the endpoint is switched off, and can be sent again when it is on", async () => {
    const world = connection();
    const hook = endpoint();
    await push(world, hook);
    world.outside.answer = refuse;
    await world.happen(received());
    await push(world, { ...hook, is_active: false });
    await world.happen(received());
    await world.runUntil(START + 10 * HOUR_MS);
    expect(world.outside.arrivals).toHaveLength(1);
    const query = { status: null, event: null, limit: 10, before: null };
    expect(must(await world.in(({ deliveries }) => deliveries.account.deliveries(hook.id, query))).items).toMatchObject([
      { status: "skipped", last_error: "webhook_disabled" },
    ]);
    await push(world, hook);
    world.outside.answer = accept;
    must(await world.in(({ deliveries }) => deliveries.account.resendFailed(hook.id, START, null)));
    await world.runUntil(START + 10 * HOUR_MS + SECOND);
    expect(world.outside.arrivals).toHaveLength(2);
  });
});

describe("an attempt that is under way", () => {
  it("is broken off and made at the new URL at once, as the same attempt", async () => {
    const world = connection();
    const hook = endpoint({ timeout_ms: 30_000 });
    await push(world, hook);
    world.outside.answer = silence;
    await world.happen(received());
    world.outside.answer = accept;
    await push(world, { ...hook, url: "https://new.example.com/" });
    await world.settle();
    await world.alarm();
    expect(urls(world)).toEqual([hook.url, "https://new.example.com/"]);
    const query = { status: null, event: null, limit: 10, before: null };
    expect(must(await world.in(({ deliveries }) => deliveries.account.deliveries(hook.id, query))).items).toMatchObject([
      { status: "delivered", attempts: 1 },
    ]);
  });

  it("is broken off when the endpoint is gone", async () => {
    const world = connection();
    await push(world, endpoint({ timeout_ms: 30_000 }));
    world.outside.answer = silence;
    await world.happen(received());
    await push(world);
    await world.runUntil(START + HOUR_MS);
    expect(world.outside.arrivals).toHaveLength(1);
    expect(await world.in((_, sql) => sql.exec("SELECT count(*) AS n FROM delivery").one())).toEqual({ n: 0 });
    await world.runUntil(START + 25 * HOUR_MS);
    expect(await world.in((_, sql) => sql.exec("SELECT count(*) AS n FROM body").one())).toEqual({ n: 0 });
    expect(await world.dueAt()).toBeNull();
  });
});

it("holds to the last of two pushes that cross", async () => {
  const world = connection();
  const hook = endpoint({ secret: "a" });
  await world.in(({ deliveries }) =>
    Promise.all([
      deliveries.account.replace([hook]),
      deliveries.account.replace([{ ...hook, url: "https://last.example.com/", secret: null }]),
    ]),
  );
  await world.happen(received());
  expect(urls(world)).toEqual(["https://last.example.com/"]);
});

it("takes no older state of the account's endpoints than it has, not even in its next life", async () => {
  const world = connection();
  const hook = endpoint();
  const take = (url: string, revision: number) => world.in(({ deliveries }) => deliveries.account.replace([{ ...hook, url }], revision));
  await take("https://second.example.com/", 2);
  await take("https://first.example.com/", 1);
  await world.evict();
  await take("https://first.example.com/", 1);
  await world.happen(received());
  expect(urls(world)).toEqual(["https://second.example.com/"]);
});

it("is not sent to where the rules no longer allow, and says so", async () => {
  const world = connection();
  const hook = endpoint({ url: "https://10.0.0.1/", retry_count: 0 });
  await push(world, hook);
  await world.happen(received());
  expect(world.outside.arrivals).toEqual([]);
  const query = { status: null, event: null, limit: 10, before: null };
  expect(must(await world.in(({ deliveries }) => deliveries.account.deliveries(hook.id, query))).items).toMatchObject([
    { status: "failed", last_error: "url_not_allowed" },
  ]);
  expect(must(await world.in(({ deliveries }) => deliveries.account.test(hook.id)))).toEqual({
    http_status: null,
    latency_ms: 0,
    error: "url_not_allowed",
  });
});

it("is tested by an event of this API", async () => {
  const world = connection();
  const hook = endpoint();
  await push(world, hook);
  must(await world.in(({ deliveries }) => deliveries.account.test(hook.id)));
  const timestamp = new Date(START).toISOString();
  const body = accountEvent("webhook.test").parse(JSON.parse(world.outside.arrivals[0]?.body ?? ""));
  expect(body).toMatchObject({ timestamp, data: { timestamp } });
});

it("is never disabled by itself", async () => {
  const world = connection();
  const hook = endpoint({ retry_count: 0 });
  await push(world, hook);
  world.outside.answer = refuse;
  await world.happen(received());
  await world.runUntil(START + 100 * HOUR_MS);
  await world.happen(received());
  await world.runUntil(START + 101 * HOUR_MS);
  await world.happen(received());
  expect(world.outside.arrivals).toHaveLength(3);
  expect(world.outside.mails).toEqual([]);
});
