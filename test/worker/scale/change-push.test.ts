// A change to an account with 10,000 connections: its D1 use, its calls per invocation, and the work repeated after a crash.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ChangePush, PUSH_MIGRATIONS } from "#root/durable-objects/account-guard/change-push.ts";
import { migrate } from "#root/durable-objects/shared/migrate.ts";
import { readEndpointChange, pushEndpoints, pushPendingEndpoints, recordPushed } from "#root/src/services/account-webhooks/push.ts";
import { changeWebhook } from "#root/src/services/account-webhooks/change.ts";
import { createWebhook } from "#root/src/services/account-webhooks/create.ts";
import { removeWebhook } from "#root/src/services/account-webhooks/remove.ts";
import { createConnection } from "#root/src/services/connections/create.ts";
import { splitIntoShares } from "#root/src/services/connections/push-records.ts";
import { isTransientError } from "#root/src/services/exceptions.ts";
import { changeProxy, createProxy } from "#root/src/services/proxies/change.ts";
import { resendFailedDeliveries, resendOf, testWebhook } from "#root/src/services/account-webhooks/deliveries.ts";
import { accountGuardStub, type AccountGuardStub } from "#root/src/services/accounts/guard.ts";
import type { AccountWebhook } from "#root/src/services/account-webhooks/find.ts";
import type { Env } from "#root/src/env.ts";
import { setSubscription } from "#root/src/services/subscriptions/set.ts";
import { accountOf, endpointOf, type World } from "./large-account.ts";
import { ringAlarm } from "../support/eviction.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** The time of changes. It is below all revisions, so that each change increments the revision by one. */
const NOW = 0;

const done = async () => undefined;
const sum = (numbers: Iterable<number>) => [...numbers].reduce((all, one) => all + one, 0);
const countPushes = ({ told }: World) => sum([...told.values()].map((revisions) => revisions.length));

/** An endpoint of an account, known to all its objects. */
async function withEndpoint(world: World) {
  const made = await createWebhook(world.bindings, endpointOf(world), NOW);
  if (!made.ok) throw new Error(made.failure.code);
  return made.value;
}

const pushedRevision = async ({ id }: World) =>
  env.DB.prepare("SELECT revision, told_revision AS pushed FROM endpoint_set WHERE user_id = ?")
    .bind(id)
    .first<{ revision: number; pushed: number }>();

/** Passes `run` a factory for instances of the account object, all over one storage. */
async function withMemories(world: World, run: (memory: (rearm?: () => void) => ChangePush) => Promise<void>): Promise<void> {
  await runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), async (_object, { storage }) => {
    await storage.deleteAlarm();
    await storage.deleteAll();
    migrate(storage, [["push", PUSH_MIGRATIONS]]);
    await run((rearm = () => undefined) => {
      const push: ChangePush = new ChangePush({
        sql: storage.sql,
        read: (_kind, userId) => readEndpointChange(world.bindings, userId),
        splitIntoShares: (userId, size) => splitIntoShares(world.bindings.DB, userId, size),
        send: (_userId, kind, number, until) => world.invoke(() => push.relay(kind, number, until)),
        pushed: (_kind, userId, revision) => recordPushed(world.bindings.DB, userId, revision),
        rearm,
      });
      return push;
    });
  });
}

describe("an account with 10,000 connections", () => {
  it("brings a change of its endpoints to all of them although it is killed three times", async () => {
    const world = await accountOf(10_000);
    await env.DB.prepare("INSERT INTO endpoint_set (user_id, revision, told_revision, changed_at) VALUES (?, 7, 6, 0)")
      .bind(world.id)
      .run();
    const never = new Promise<void>(() => undefined);
    let now = Date.now();
    vi.useFakeTimers({ now, toFake: ["Date"] });
    await withMemories(world, async (memory) => {
      for (const [n, killed] of [2_500, 5_000, 7_500].entries()) {
        // No further call is answered, because the instance that made them is gone.
        const stopped = Promise.withResolvers<void>();
        world.state.beforeCall = () => {
          if (world.state.calls < killed) return Promise.resolve();
          stopped.resolve();
          return never;
        };
        const push = memory();
        void world.invoke(async () => (n === 0 ? push.start("endpoints", world.id, 7, now) : push.run(now)));
        await stopped.promise;
        // Pending relays make their calls first, so that the kill leaves as many unanswered as possible.
        let calls = 0;
        do {
          calls = world.state.calls;
          await scheduler.wait(100);
        } while (world.state.calls > calls);
        now += 11_000;
        vi.setSystemTime(now);
      }
      world.state.beforeCall = done;
      const ended = Promise.withResolvers<void>();
      await world.invoke(async () => memory(() => ended.resolve()).run(now));
      await ended.promise;
    });

    expect([...world.told.values()].map((revisions) => revisions.at(-1))).toEqual(world.uuids.map(() => 7));
    const twice = countPushes(world) - 10_000;
    const most = (count: (asked: World["outside"]) => number) => Math.max(...world.invocations.map(count));
    console.log(
      `push-out to 10,000, killed 3 times: at most ${most(({ calls, statements }) => calls + statements)} subrequests and ` +
        `${most(({ statements }) => statements)} D1 statements in one of ${world.invocations.length} invocations, ${twice} told twice`,
    );
    expect(most(({ calls, statements }) => calls + statements)).toBeLessThanOrEqual(1_000);
    expect(most(({ statements }) => statements)).toBeLessThanOrEqual(50);
    expect(twice).toBeGreaterThan(0);
    expect(twice).toBeLessThanOrEqual(500);
    expect(await pushedRevision(world)).toEqual({ revision: 7, pushed: 7 });
  });

  it("needs at most 20 D1 statements to give all objects a changed subscription before the response", async () => {
    const world = await accountOf(10_000);
    world.outside.statements = 0;
    await setSubscription(
      world.bindings,
      world.id,
      { plan: "test", status: "past_due", maxInstances: 1, currentPeriodEnd: null },
      Date.now(),
    );
    console.log(`subscription change, 10,000 connections: ${world.outside.statements} D1 statements`);
    expect(world.outside.statements).toBeLessThanOrEqual(20);
    expect(world.uuids.filter((uuid) => world.records.get(uuid)?.subscription_status !== "past_due")).toEqual([]);
    expect(countPushes(world)).toBe(10_000);
  });
});

describe("a large account", () => {
  it("has each object notified by its guard once, before the response", async () => {
    const world = await accountOf(1_500);
    const row = await withEndpoint(world);
    await changeWebhook(world.bindings, row, { url: "https://new.example.com/" }, NOW);
    expect(world.uuids.filter((uuid) => world.endpoints.get(uuid)?.[0]?.url !== "https://new.example.com/")).toEqual([]);
    expect(countPushes(world)).toBe(3_000);
    expect(await pushedRevision(world)).toEqual({ revision: 2, pushed: 2 });
  });

  it("never has an older state on top of a newer one", async () => {
    const world = await accountOf(700);
    const row = await withEndpoint(world);
    const slow = Promise.withResolvers<void>();
    world.state.beforeCall = () => slow.promise;
    const before = world.state.calls;
    const first = changeWebhook(world.bindings, row, { url: "https://first.example.com/" }, NOW);
    await vi.waitFor(() => expect(world.state.calls).toBeGreaterThan(before), { timeout: 60_000 });
    const second = changeWebhook(world.bindings, row, { url: "https://second.example.com/" }, NOW);
    await vi.waitFor(async () => expect(await pushedRevision(world)).toMatchObject({ revision: 3 }), { timeout: 60_000 });
    slow.resolve();
    await Promise.all([first, second]);
    expect(world.uuids.filter((uuid) => world.endpoints.get(uuid)?.[0]?.url !== "https://second.example.com/")).toEqual([]);
    expect(world.refused).toEqual([]);
    expect(await pushedRevision(world)).toEqual({ revision: 3, pushed: 3 });
  });

  it("reports an object that could not be reached, notifies all others at once, and that one later", async () => {
    const world = await accountOf(300);
    const row = await withEndpoint(world);
    const [away = ""] = world.uuids;
    world.broken.add(away);
    const changing = changeWebhook(world.bindings, row, { url: "https://new.example.com/" }, NOW);
    await expect(changing.catch((error: unknown) => isTransientError(error))).resolves.toBe(true);
    expect(world.uuids.filter((uuid) => world.endpoints.get(uuid)?.[0]?.url !== "https://new.example.com/")).toEqual([away]);
    expect(await pushedRevision(world)).toEqual({ revision: 2, pushed: 1 });
    world.broken.clear();
    vi.useFakeTimers({ now: Date.now() + 11_000, toFake: ["Date"] });
    await ringAlarm(world.guard);
    await vi.waitFor(async () => expect(await pushedRevision(world)).toEqual({ revision: 2, pushed: 2 }), { timeout: 60_000 });
    expect(world.endpoints.get(away)?.[0]?.url).toBe("https://new.example.com/");
    expect(countPushes(world)).toBe(600);
  });

  it("goes on with a change that the watchdog finds, and does not begin it again", async () => {
    const world = await accountOf(300);
    await withEndpoint(world);
    const [away = ""] = world.uuids;
    world.broken.add(away);
    const { bindings, id } = world;
    await env.DB.prepare("UPDATE endpoint_set SET revision = 2, changed_at = 0 WHERE user_id = ?").bind(id).run();
    const pushing = pushEndpoints(bindings, id, "all").catch((error: unknown) => isTransientError(error));
    await expect(pushing).resolves.toBe(true);
    const told = countPushes(world);
    await pushPendingEndpoints(bindings, Date.now(), 1_000);
    await runInDurableObject(world.guard, () => undefined);
    expect(countPushes(world)).toBe(told);
  });
});

describe("an endpoint of one instance", () => {
  /** An endpoint of the first instance, which another call has moved to the second one since this row was read. */
  async function moved() {
    const world = await accountOf(3);
    const [first = "", second = "", third = ""] = world.uuids;
    const made = await createWebhook(world.bindings, { ...endpointOf(world), instanceId: first }, NOW);
    if (!made.ok) throw new Error(made.failure.code);
    await changeWebhook(world.bindings, made.value, { instanceId: second }, NOW);
    const urls = () => world.uuids.map((uuid) => world.endpoints.get(uuid)?.map(({ url }) => url) ?? []);
    return { world, row: made.value, second, third, urls };
  }

  it("is only where the last of two concurrent calls moved it", async () => {
    const { world, row, third, urls } = await moved();
    expect(await changeWebhook(world.bindings, row, { instanceId: third }, NOW)).toMatchObject({ value: { instanceId: third } });
    expect(urls()).toEqual([[], [], ["https://hooks.example.com/"]]);
  });

  it("gets a new address where another call has moved it", async () => {
    const { world, row, second, urls } = await moved();
    const url = "https://new.example.com/";
    expect(await changeWebhook(world.bindings, row, { url }, NOW)).toMatchObject({ value: { url, instanceId: second } });
    expect(urls()).toEqual([[], [url], []]);
  });

  it("does not count another call's change as pushed, which it did not push everywhere", async () => {
    const { world, second, urls } = await moved();
    const { bindings, id } = world;
    // Another call's change of the second connection's endpoint, before that call pushes it.
    await env.DB.prepare("UPDATE endpoint_set SET revision = 3, changed_at = 0 WHERE user_id = ?").bind(id).run();
    await env.DB.prepare("UPDATE account_webhook SET url = 'https://new.example.com/' WHERE user_id = ?").bind(id).run();
    await pushEndpoints(bindings, id, { uuids: world.uuids.filter((uuid) => uuid !== second), revision: 2 });
    expect(await pushedRevision(world)).toEqual({ revision: 3, pushed: 2 });
    await pushPendingEndpoints(bindings, Date.now(), 1_000);
    expect(urls()).toEqual([[], ["https://new.example.com/"], []]);
  });

  it("is nowhere once it is removed, although another call has moved it", async () => {
    const { world, row, urls } = await moved();
    await removeWebhook(world.bindings, row, NOW);
    expect(urls()).toEqual([[], [], []]);
    expect(await pushedRevision(world)).toEqual({ revision: 3, pushed: 3 });
  });

  it("is not found by a change that had read it before it was removed", async () => {
    const { world, row, urls } = await moved();
    await removeWebhook(world.bindings, row, NOW);
    const changed = await changeWebhook(world.bindings, row, { url: "https://late.example.com/" }, NOW);
    expect(changed).toEqual({ ok: false, failure: { code: "webhook_not_found" } });
    await removeWebhook(world.bindings, row, NOW);
    expect(urls()).toEqual([[], [], []]);
    expect(await pushedRevision(world)).toEqual({ revision: 3, pushed: 3 });
  });

  it.each([
    ["removal", removeWebhook],
    ["change", (bindings: Env, row: AccountWebhook, now: number) => changeWebhook(bindings, row, {}, now)],
  ])("makes its %s push another call's pending change to all objects if it is already gone", async (_, call) => {
    const { world, row, third, urls } = await moved();
    await removeWebhook(world.bindings, row, NOW);
    world.broken.add(third);
    await createWebhook(world.bindings, { ...endpointOf(world), instanceId: third }, NOW);
    expect([urls()[2], await pushedRevision(world)]).toEqual([[], { revision: 4, pushed: 3 }]);
    world.broken.clear();
    await call(world.bindings, row, Date.now());
    expect([urls()[2], await pushedRevision(world)]).toEqual([["https://hooks.example.com/"], { revision: 4, pushed: 4 }]);
  });
});

/** The account's guard; each call is an invocation. */
const countedGuard = (world: World) =>
  ({
    getByName: () => ({
      ...accountGuardStub(env as unknown as Env, world.id),
      resendFailed: (...[caller, share, span]: Parameters<AccountGuardStub["resendFailed"]>) =>
        world.invoke(() => resendOf({ env: world.bindings, caller }, share, span)),
    }),
  }) as unknown as Env["ACCOUNT_GUARD"];

describe("an endpoint of 10,000 connections", () => {
  it("resends failures from all of them with bounded calls per invocation, and is tested through the first", async () => {
    const world = await accountOf(10_000);
    const row = await withEndpoint(world);
    world.invocations.length = 0;
    const asked: string[] = [];
    world.state.perform = (uuid, { operation }) => {
      asked.push(uuid);
      return { ok: true, json: JSON.stringify(operation === "endpoints.test" ? TESTED : { count: 2 }) };
    };
    const endpoint = { webhook: row, caller: { subject: "user", requestId: "one" } };
    const resent = await world.invoke(() =>
      resendFailedDeliveries({ ...endpoint, env: { ...world.bindings, ACCOUNT_GUARD: countedGuard(world) } }, 0, null),
    );
    const calls = world.invocations.map((each) => each.calls + each.statements);
    console.log(`resend of 10,000 connections: at most ${Math.max(...calls)} subrequests in one of ${calls.length} invocations`);
    expect(resent).toEqual({ ok: true, value: 20_000 });
    expect(new Set(asked).size).toBe(10_000);
    expect(Math.max(...calls)).toBeLessThanOrEqual(1_000);
    expect(Math.max(...world.invocations.map(({ statements }) => statements))).toBeLessThanOrEqual(50);

    asked.length = 0;
    world.outside.rowsRead = 0;
    expect(await testWebhook({ ...endpoint, env: world.bindings })).toMatchObject({ ok: true });
    expect(asked).toEqual([world.uuids[0]]);
    expect(world.outside.rowsRead).toBeLessThanOrEqual(5);
  });

  it("reports how many deliveries are resent, or that an object could not be reached", async () => {
    const world = await accountOf(300);
    const { bindings: own } = world;
    const row = await withEndpoint(world);
    const resend = () => resendFailedDeliveries({ env: own, webhook: row, caller: { subject: "user", requestId: "one" } }, 0, null);
    world.state.perform = () => ({ ok: true, json: JSON.stringify({ count: 1 }) });
    expect(await resend()).toEqual({ ok: true, value: 300 });
    world.state.perform = (uuid) =>
      uuid === world.uuids[299] ? { ok: false, failure: { code: "unavailable" } } : { ok: true, json: JSON.stringify({ count: 1 }) };
    expect(await resend()).toMatchObject({ ok: false, failure: { code: "unavailable" } });
  });
});

const TESTED = { http_status: 200, latency_ms: 1, error: null };

it("creating a connection among 5,000 of its account reads no more from D1 than creating the second one", async () => {
  const [small, large] = [await accountOf(1), await accountOf(5_000)];
  const read: number[] = [];
  for (const world of [small, large]) {
    await env.DB.prepare("UPDATE subscription SET max_instances = 10000 WHERE user_id = ?").bind(world.id).run();
    await env.DB.prepare("INSERT INTO endpoint_set (user_id, revision, told_revision, changed_at) VALUES (?, 1, 1, 0)")
      .bind(world.id)
      .run();
    world.outside.rowsRead = 0;
    expect((await createConnection(world.bindings, { ownerId: world.id, name: "A", kind: "session" }, 0)).ok).toBe(true);
    read.push(world.outside.rowsRead);
  }
  console.log(`rows read to create a connection: ${read[0]} as the second, ${read[1]} among 5,000`);
  expect(read[0]).toBeGreaterThan(0);
  expect(read[1]).toBe(read[0]);
});

it("a proxy's change reaches 3,000 connections of an account before the answer, and nothing of it stays pending", async () => {
  const world = await accountOf(3_000);
  const address = { protocol: "http", host: "a.example.com", port: 80, username: null, password: null } as const;
  const before = await createProxy(world.bindings, { ...address, label: "P", country: null, maxInstances: 5_000, isActive: true }, 0);
  await env.DB.prepare("UPDATE connection SET proxy_id = ? WHERE owner_id = ?").bind(before.id, world.id).run();
  world.outside.statements = 0;
  expect((await changeProxy(world.bindings, before, { host: "b.example.com" })).ok).toBe(true);
  console.log(`proxy change, 3,000 connections of one account: ${world.outside.statements} D1 statements`);
  expect(world.uuids.filter((uuid) => world.records.get(uuid)?.proxy_url?.includes("b.example.com") !== true)).toEqual([]);
  expect(world.outside.statements).toBeLessThanOrEqual(20);
  const pending = env.DB.prepare("SELECT count(*) AS n FROM connection WHERE owner_id = ? AND pending_revision IS NOT NULL");
  expect(await pending.bind(world.id).first()).toEqual({ n: 0 });
});
