// GET /api/admin/statistics.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { connectionChange } from "@gateway/domain/statistics/counts.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { createConnection } from "#root/src/services/connections/create.ts";
import { forgetAccount } from "#root/src/services/accounts/remove.ts";
import { forgetConnection, removeConnection } from "#root/src/services/connections/remove.ts";
import { completeUntil } from "#root/src/services/statistics/report.ts";
import { pushCounts } from "#root/src/services/statistics/push.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { type Calls, codeOf, holder } from "../support/accounts.ts";
import { scriptedConnections } from "../support/gateway.ts";

const scripted = { ...env, ...scriptedConnections(() => ({ ok: true, json: "{}" })) } as Env;
/** The previous hour, which lies entirely in the past. */
const hour = () => Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
const iso = (at: number) => new Date(at).toISOString();

let admin: Calls;
beforeEach(async () => {
  // The clock stands still, so that no hour begins during a test.
  vi.useFakeTimers({ toFake: ["Date"] });
  await env.DB.batch(["hourly_count", "daily_count", "connection_state"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)));
  const { who, call } = await holder();
  await setRole(env.DB, who.user.id, "admin");
  admin = call;
});
afterEach(() => {
  vi.useRealTimers();
});

async function instance(ownerId: string) {
  const made = await createConnection(scripted, { ownerId, name: "Loja", kind: "session" }, Date.now());
  if (!made.ok) throw new Error(made.failure.code);
  return made.value;
}

type Row = Awaited<ReturnType<typeof instance>>;
const push = ({ uuid }: Row, at: number, counts: Record<string, number>, connected = false) =>
  pushCounts(env.DB, uuid, { hours: [{ hour: at, counts }], connected, waiting: 2 }, Date.now());
const read = async (query: string) => {
  const { status, body } = await admin("GET", `/admin/statistics?${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data;
};

describe("the statistics", () => {
  it("cover all accounts, an account, or an instance, by hour", async () => {
    const { who } = await holder();
    const [mine, other] = [await instance(who.user.id), await instance((await holder()).who.user.id)];
    await push(mine, hour(), {
      "sent.text": 2,
      "received.image": 1,
      deliveries: 3,
      attempts: 4,
      delivered: 2,
      given_up: 1,
      "latency.20": 2,
      "error.webhook_timeout": 1,
    });
    await push(mine, hour() - HOUR_MS, { "failed.text": 1, "error.send_outcome_unknown": 1 });
    await push(other, hour(), { "sent.text": 5 });
    const span = `interval=hour&from=${iso(hour() - HOUR_MS)}&to=${iso(hour() + HOUR_MS)}`;
    const report = await read(`${span}&user_id=${who.user.id}`);
    expect(report).toMatchObject({
      from: iso(hour() - HOUR_MS),
      to: iso(hour() + HOUR_MS),
      interval: "hour",
      users: { total: 1, active: 1, suspended: 0, subscribed: 1 },
      instances: { total: 1, by_status: { disconnected: 1 }, by_kind: { session: 1 } },
      messages: { sent: 2, received: 1, failed: 1, by_type: { text: { sent: 2, received: 0, failed: 1 }, image: { received: 1 } } },
      webhooks: { deliveries: 3, attempts: 4, delivered: 2, failed: 1, pending: 2, p50_ms: 20, p95_ms: 20, disabled: 0 },
      errors: { by_code: { webhook_timeout: 1, send_outcome_unknown: 1 } },
      bridges: { count: 0, sessions: 0 },
      proxies: { total: 0, healthy: 0, degraded: 0, down: 0, unknown: 0 },
      connected_minutes: 0,
    });
    const none = { sent: 0, received: 0, failed: 0, deliveries: 0, delivered: 0, p50_ms: null, p95_ms: null, connected_minutes: 0 };
    const [unproven, slow] = [{ send_outcome_unknown: 1 }, { webhook_timeout: 1 }];
    const complete = completeUntil(Date.now()) > hour();
    expect(report.series).toEqual([
      { ...none, at: iso(hour() - HOUR_MS), failed: 1, errors: 1, errors_by_code: unproven, complete: true },
      {
        ...none,
        at: iso(hour()),
        sent: 2,
        received: 1,
        deliveries: 3,
        delivered: 2,
        p50_ms: 20,
        p95_ms: 20,
        errors: 1,
        errors_by_code: slow,
        complete,
      },
    ]);
    expect((await read(`${span}&instance_id=${mine.uuid}`)).messages).toEqual(report.messages);
    expect((await read(span)).messages.sent).toBe(7);
  });

  it("sum up their hours by day, and keep what a removed instance has counted", async () => {
    const { who } = await holder();
    const [mine, gone] = [await instance(who.user.id), await instance(who.user.id)];
    const day = Math.floor(hour() / DAY_MS) * DAY_MS - 2 * DAY_MS;
    for (const at of [day, day + 23 * HOUR_MS, day + 24 * HOUR_MS]) await push(mine, at, { "sent.text": 1 });
    await push(gone, day, { "received.text": 4 });
    await removeConnection(scripted, gone.id, gone.uuid, Date.now());
    const { series, messages, instances } = await read(`from=${iso(day)}&to=${iso(day + 2 * DAY_MS)}&user_id=${who.user.id}`);
    expect(series.map(({ at, sent, received }: Record<string, unknown>) => [at, sent, received])).toEqual([
      [iso(day), 2, 4],
      [iso(day + DAY_MS), 1, 0],
    ]);
    expect(messages).toMatchObject({ sent: 3, received: 4 });
    expect(instances.total).toBe(1);
  });

  it("keep what a deleted account has counted in the sum of all, and nothing under its id", async () => {
    const { who } = await holder();
    const gone = await instance(who.user.id);
    await push(gone, hour(), { "sent.text": 3 });
    const before = (await read("interval=hour")).messages.sent;
    await removeConnection(scripted, gone.id, gone.uuid, Date.now());
    await forgetConnection(env.DB, gone.uuid);
    await forgetAccount(env as Env, { userId: who.user.id, email: "" });
    expect((await read("interval=hour")).messages.sent).toBe(before);
    const left = await env.DB.prepare(
      "SELECT scope FROM hourly_count WHERE scope = ?1 UNION ALL SELECT scope FROM daily_count WHERE scope = ?1",
    )
      .bind(`user:${who.user.id}`)
      .all();
    expect(left.results).toEqual([]);
  });

  it("include the connected time of numbers that have counted nothing since they connected", async () => {
    const { who } = await holder();
    const from = hour() - 3 * HOUR_MS;
    await push(await instance(who.user.id), from, connectionChange(true, from + 45 * MINUTE_MS), true);
    const { series } = await read(`interval=hour&from=${iso(from)}&to=${iso(hour() + HOUR_MS)}&user_id=${who.user.id}`);
    expect(series.map((point: { connected_minutes: number }) => point.connected_minutes)).toEqual([15, 60, 60, 60]);
  });

  it("state the time up to which every object could push", () => {
    expect(completeUntil(hour() + HOUR_MS + 30 * MINUTE_MS)).toBe(hour() + HOUR_MS);
    expect(completeUntil(hour() + HOUR_MS + 9 * MINUTE_MS)).toBe(hour());
  });
});

describe("a span", () => {
  it.each([
    ["of more than 90 days", `from=${iso(Date.now() - 95 * DAY_MS)}&to=${iso(Date.now())}`, "to"],
    ["that ends before it begins", `from=${iso(Date.now())}&to=${iso(Date.now() - DAY_MS)}`, "to"],
    [
      "of hours that are not kept any more",
      `interval=hour&from=${iso(Date.now() - 40 * DAY_MS)}&to=${iso(Date.now() - 39 * DAY_MS)}`,
      "from",
    ],
    ["with two filters", `user_id=a&instance_id=${crypto.randomUUID()}`, "instance_id"],
  ])("is refused: %s", async (_name, query, field) => {
    const refused = await admin("GET", `/admin/statistics?${query}`);
    expect(codeOf(refused)).toEqual([400, "validation_error"]);
    expect(refused.body.error.details).toMatchObject([{ field }]);
  });

  it("is answered if it has 90 days, or lies long ago", async () => {
    expect((await read(`from=${iso(Date.now() - 90 * DAY_MS)}&to=${iso(Date.now())}`)).series.length).toBeGreaterThanOrEqual(90);
    expect((await read(`from=${iso(Date.now() - 300 * DAY_MS)}&to=${iso(Date.now() - 290 * DAY_MS)}`)).series.length).toBe(11);
  });
});

it("ten thousand connections make a report of 90 days no slower: only the rows of its scope are read", async () => {
  const { who } = await holder();
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO connection (uuid, owner_id, name, kind, created_at, updated_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) SELECT 'many-' || i, ?, 'n', 'session', 0, 0 FROM n`,
    ).bind(who.user.id),
    env.DB.prepare(
      `INSERT INTO daily_count (scope, at, counts)
       WITH RECURSIVE d (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM d WHERE i < 9)
       SELECT 'connection:' || c.uuid, ?1 - i * 86400000, '{"sent.text":1}' FROM d, connection c WHERE c.uuid LIKE 'many-%'`,
    ).bind(Math.floor(Date.now() / DAY_MS) * DAY_MS),
    env.DB.prepare(
      `INSERT INTO daily_count (scope, at, counts)
       WITH RECURSIVE d (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM d WHERE i < 399)
       SELECT scope, ?1 - i * 86400000, '{"sent.text":10000}' FROM d, (SELECT 'all' AS scope UNION ALL SELECT 'user:' || ?2)`,
    ).bind(Math.floor(Date.now() / DAY_MS) * DAY_MS, who.user.id),
  ]);
  const queries: string[] = [];
  const prepare = env.DB.prepare.bind(env.DB);
  const spy = vi.spyOn(env.DB, "prepare").mockImplementation((query) => {
    queries.push(query);
    return prepare(query);
  });
  const startedAt = performance.now();
  const report = await read(`from=${iso(Date.now() - 89 * DAY_MS)}`);
  const ms = Math.round(performance.now() - startedAt);
  spy.mockRestore();
  console.log(`statistics: 90 days of 10,000 connections in ${ms} ms`);
  expect(report.messages.sent).toBe(900_000);
  const counts = queries.filter((query) => /hourly_count|daily_count/.test(query));
  expect(counts).toHaveLength(1);
  const plans = await env.DB.prepare(`EXPLAIN QUERY PLAN ${counts[0]}`).bind("all", 0).all<{ detail: string }>();
  expect(plans.results.map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^SEARCH daily_count USING INDEX \S+ \(scope=\? AND at>\?\)$/),
  ]);
});
