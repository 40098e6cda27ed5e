// Pools beside the first one: session placement, the administrators' combined view, and moving a connection to another home.
import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { RECONNECT_MS } from "#root/durable-objects/bridge-pool/bridges.ts";
import { FleetMails } from "#root/durable-objects/bridge-pool/fleet-mails.ts";
import { FleetWatch } from "#root/durable-objects/bridge-pool/fleet-watch.ts";
import { StoredTimes } from "#root/durable-objects/shared/stored-times.ts";
import { BridgeHome } from "@gateway/protocol/internal-http.ts";
import type { BridgePoolStub, MailClaim } from "#root/src/services/bridges/pool-stub.ts";
import {
  allBridges,
  drainBridge,
  keepAllBridges,
  openProxySocket,
  poolsOf,
  setClientVersionOfAll,
  setShareOfAll,
  wholeFleet,
} from "#root/src/services/bridges/pools.ts";
import { rehomeSome } from "#root/src/services/bridges/rehome.ts";
import { createConnection } from "#root/src/services/connections/create.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { bridgeHeaders, FakeBridge, type FakeSession } from "../fakes/bridge.ts";
import { event, TestConnection } from "../fakes/connection.ts";
import { acknowledged } from "../fakes/messages.ts";
import { admin, answerCheck, hostName, madeProxy } from "../proxies/world.ts";
import { holder } from "../support/accounts.ts";
import { gatheredFor, ownerMailed } from "../support/owner-mail.ts";
import { gateway } from "../support/gateway.ts";
import { ringAlarm } from "../support/eviction.ts";

const POOLS = ["default", "sam/1", "sam/2"];
const connections: TestConnection[] = [];
const bridges: FakeBridge[] = [];

const stubOf = (pool: string) => env.BRIDGE_POOL.getByName(pool) as unknown as BridgePoolStub & { fetch: Fetcher["fetch"] };
const withShards = (change: Partial<Env> = {}) => ({ ...(env as Env), POOL_SHARDS: "sam:2", ...change }) as Env;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
});
afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.ask("instance.disconnect", {});
  for (const bridge of bridges.splice(0)) bridge.leave();
  for (const pool of POOLS) {
    await runInDurableObject(env.BRIDGE_POOL.getByName(pool), (_object, { storage }) =>
      storage.sql.exec(
        `DELETE FROM bridge; DELETE FROM placement; DELETE FROM rollout; DELETE FROM client_version; DELETE FROM proxy_round;
         DELETE FROM fleet_alarm; DELETE FROM fleet_time; DELETE FROM fleet_mail; DELETE FROM away_number; DELETE FROM away_owner;
         DELETE FROM pool_alarm; DELETE FROM mailed_owner`,
      ),
    );
    await evictDurableObject(env.BRIDGE_POOL.getByName(pool));
  }
  await env.DB.batch([env.DB.prepare("DELETE FROM pool_shard"), env.DB.prepare("DELETE FROM connection")]);
  vi.useRealTimers();
});

async function bridgeAt(pool: string, options: Parameters<typeof FakeBridge.dial>[0] = {}): Promise<FakeBridge> {
  const { id = crypto.randomUUID() } = options;
  const bridge = await FakeBridge.dial({ id, at: stubOf(pool), headers: bridgeHeaders(id, undefined, pool), ...options });
  bridges.push(bridge);
  await stubOf(pool).list();
  return bridge;
}

async function connectedAt(home: string | null, bridge: FakeBridge) {
  const connection = await TestConnection.create({ home });
  connections.push(connection);
  await connection.ask("instance.connect", { force_new_pairing: false });
  const session = await bridge.open(connection.uuid);
  await session.commit([event.open()], [["creds|me", "1"]]);
  return { connection, session };
}

/** This pool's placement of the connection. */
const placedAt = (pool: string, { uuid }: TestConnection) =>
  runInDurableObject(env.BRIDGE_POOL.getByName(pool), (_object, { storage }) =>
    storage.sql.exec<{ generation: number }>("SELECT generation FROM placement WHERE connection = ?", uuid).toArray(),
  );

/** Pools with one unreachable. */
function without(lost: string): Env["BRIDGE_POOL"] {
  const broken = new Proxy({}, { get: () => () => Promise.reject(new Error("this pool is down")) });
  const getByName = (name: string) => (name === lost ? broken : env.BRIDGE_POOL.getByName(name));
  return { getByName } as unknown as Env["BRIDGE_POOL"];
}

it("a connection's session goes to a bridge of its home, and to one of the first pool when it has none", async () => {
  const [first, one] = [await bridgeAt("default"), await bridgeAt("sam/1")];
  const homed = await connectedAt("sam/1", one);
  const homeless = await connectedAt(null, first);
  expect(await homed.connection.status()).toBe("connected/ok");
  expect(await placedAt("default", homed.connection)).toEqual([]);
  expect(await placedAt("sam/1", homed.connection)).toHaveLength(1);
  expect(await placedAt("default", homeless.connection)).toHaveLength(1);
});

it("a shard's sessions move within it when its bridge dies, and another shard's are not affected", async () => {
  const [one, two] = [await bridgeAt("sam/1"), await bridgeAt("sam/2")];
  const [dying, living] = [await connectedAt("sam/1", one), await connectedAt("sam/2", two)];
  const spare = await bridgeAt("sam/1");
  const sends = async (connection: TestConnection, session: FakeSession, text: string, id: string) => {
    const sending = connection.send(text, { message_id: id });
    await session.answer("send");
    await session.settle(id, acknowledged(id, text));
    expect(await sending).toMatchObject({ ok: true, value: { message_id: id } });
  };
  for (const { connection, session } of [dying, living]) await sends(connection, session, "before", `3EB0${"A".repeat(18)}`);
  one.leave();
  dying.session.drop();
  await vi.waitFor(async () => expect((await stubOf("sam/1").list()).bridges.find(({ id }) => id === one.id)?.connected).toBe(false));
  vi.setSystemTime(Date.now() + RECONNECT_MS + 1);
  await ringAlarm(env.BRIDGE_POOL.getByName("sam/1"));
  const next = await spare.open(dying.connection.uuid);
  await next.commit([event.open()]);
  await sends(dying.connection, next, "after", `3EB0${"B".repeat(18)}`);
  expect(await living.connection.status()).toBe("connected/ok");
  expect(await placedAt("sam/2", living.connection)).toEqual([{ generation: living.session.generation }]);
  expect(await placedAt("default", dying.connection)).toEqual([]);
});

it("administrators see the bridges of all pools, also while one of them is down", async () => {
  const [first, one, two] = [await bridgeAt("default"), await bridgeAt("sam/1"), await bridgeAt("sam/2")];
  const ids = async (bindings: Env) => (await allBridges(bindings)).map(({ id }) => id).sort();
  expect(await ids(withShards())).toEqual([first.id, one.id, two.id].sort());
  expect(await ids(withShards({ BRIDGE_POOL: without("default") }))).toEqual([one.id, two.id].sort());
  expect(await ids(withShards({ BRIDGE_POOL: without("sam/1") }))).toEqual([first.id, two.id].sort());
  expect(await ids(env as Env)).toEqual([first.id]);
});

it("a pool that the setting no longer names is still asked", async () => {
  await env.DB.prepare("INSERT INTO pool_shard (name) VALUES ('sam/2')").run();
  const own = { ...env } as Env;
  expect(await poolsOf(own)).toEqual(["default", "sam/2"]);
  const two = await bridgeAt("sam/2");
  expect((await allBridges(own)).map(({ id }) => id)).toEqual([two.id]);
});

it("the directory is asked for the pools once a minute, and again when it could not answer", async () => {
  let asked = 0;
  let isAway = true;
  const DB = new Proxy(env.DB, {
    get: (database, name: keyof D1Database) => {
      if (name === "prepare") asked += 1;
      if (isAway && name === "prepare") throw new Error("D1 is away");
      const value = database[name];
      return typeof value === "function" ? value.bind(database) : value;
    },
  });
  const own = withShards({ DB });
  expect(await poolsOf(own)).toEqual(POOLS);
  isAway = false;
  for (let n = 0; n < 3; n += 1) expect(await poolsOf(own)).toEqual(POOLS);
  expect(asked).toBe(2);
  vi.setSystemTime(Date.now() + 60_000);
  await poolsOf(own);
  expect(asked).toBe(3);
});

it("a pool that hangs holds up no answer of the others, and few are asked at once", async () => {
  let [asked, most] = [0, 0];
  const list = async (name: string) => {
    if (name === "sam/2") await new Promise(() => undefined);
    asked += 1;
    most = Math.max(most, asked);
    await scheduler.wait(0);
    asked -= 1;
    return { bridges: [{ id: name }] };
  };
  const BRIDGE_POOL = { getByName: (name: string) => ({ list: () => list(name) }) } as unknown as Env["BRIDGE_POOL"];
  const found = await allBridges(withShards({ BRIDGE_POOL, POOL_SHARDS: "sam:20" }), 20);
  expect(found).toHaveLength(20);
  expect(found.map(({ id }) => id)).not.toContain("sam/2");
  expect(most).toBeLessThanOrEqual(6);
});

it("a shard leaves out proxies that another pool has just checked", async () => {
  const { call } = await admin();
  const hosts = [hostName(), hostName()];
  const [fresh, old] = [await madeProxy(call, { host: hosts[0] }), await madeProxy(call, { host: hosts[1] })];
  const one = await bridgeAt("sam/1");
  const start = Date.now() + 5 * 60_000;
  await env.DB.prepare(
    "INSERT OR REPLACE INTO proxy_health (proxy_id, status, consecutive_failures, past_checks, checked_at) VALUES (?1, 'healthy', 0, '[]', ?3), (?2, 'healthy', 0, '[]', ?4)",
  )
    .bind(fresh.id, old.id, start - 10_000, start - 60_000)
    .run();
  vi.setSystemTime(start);
  one.say({ type: "load", sessions: 0, rss_mb: 0, cpu: 0 });
  await vi.waitFor(async () => expect((await stubOf("sam/1").list()).bridges[0]?.last_seen_at).toBeGreaterThanOrEqual(start), {
    timeout: 60_000,
  });
  await ringAlarm(env.BRIDGE_POOL.getByName("sam/1"));
  await one.control.next("check_proxy", ({ url }) => url.includes(hosts[1] ?? ""));
  expect(one.control.rest.some((frame) => frame.type === "check_proxy" && frame.url.includes(hosts[0] ?? ""))).toBe(false);
});

it("the fleet's sessions and troubles are summed over all pools", async () => {
  const [one, two] = [await bridgeAt("sam/1"), await bridgeAt("sam/2")];
  for (const [pool, bridge] of [
    ["sam/1", one],
    ["sam/2", two],
  ] as const) {
    await connectedAt(pool, bridge);
    bridge.say({
      type: "load",
      sessions: 1,
      rss_mb: 1,
      cpu: 0,
      away: 2,
      troubles: [{ kind: "close", code: "500", total: 3, sessions: 1 }],
    });
    await vi.waitFor(async () => expect((await stubOf(pool).fleet()).away).toBe(2), { timeout: 60_000 });
  }
  expect(await wholeFleet(withShards())).toMatchObject({ sessions: 2, away: 4, troubles: [{ kind: "close", code: "500", sessions: 2 }] });
});

describe("an event at two shards", () => {
  /** Records emails from now on, and advances time in both pools while this many sessions are away. */
  async function watched() {
    const mails: { to: string; subject: string; text: string }[] = [];
    const sending = vi.spyOn(env.MAIL, "send").mockImplementation(async (mail) => {
      mails.push(mail as never);
      return { messageId: "sent" } as never;
    });
    const shards = [
      { pool: "sam/1", bridge: await bridgeAt("sam/1") },
      { pool: "sam/2", bridge: await bridgeAt("sam/2") },
    ];
    /** Emails being sent; their one-minute lease is treated as expired. */
    const unsent = (pool: string) =>
      runInDurableObject(
        env.BRIDGE_POOL.getByName(pool),
        (_object, { storage }) => storage.sql.exec("SELECT id FROM fleet_mail WHERE tries > 0").toArray().length,
      );
    const passes = async (minutes: number, away: readonly number[]) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        vi.setSystemTime(Date.now() + 60_000);
        for (const [n, { pool, bridge }] of shards.entries()) {
          bridge.say({ type: "load", sessions: 12, rss_mb: 1, cpu: 0, away: away[n] ?? 0, troubles: [] });
          await stubOf(pool).fleet();
          await vi.waitFor(async () => expect(await unsent(pool)).toBe(0), { timeout: 60_000 });
        }
      }
    };
    return { mails, passes, shards, end: () => sending.mockRestore() };
  }

  it("sends an administrator one email, and another when the alarm has ended at both", async () => {
    const { email } = await admin();
    const { mails, passes, end } = await watched();
    const subjects = () => mails.filter(({ to }) => to === email).map(({ subject }) => subject);
    await passes(15, [12, 12]);
    await vi.waitFor(() => expect(subjects()).toEqual([expect.stringContaining("Fleet alarm")]), { timeout: 60_000 });
    await passes(30, [0, 12]);
    expect(subjects()).toHaveLength(1);
    await passes(30, [0, 0]);
    await vi.waitFor(() => expect(subjects().slice(1)).toEqual([expect.stringContaining("Alarm over")]), { timeout: 60_000 });
    end();
  });

  it("is emailed even if it begins while another alarm's emails are claimed", async () => {
    const { who } = await holder();
    await setRole(env.DB, who.user.id, "admin");
    const claims: { claim: MailClaim; release: () => void }[] = [];
    const claimMails = (claim: MailClaim) => new Promise((done) => claims.push({ claim, release: () => done(claim) }));
    const bindings = withShards({ BRIDGE_POOL: { getByName: () => ({ claimMails }) } as unknown as Env["BRIDGE_POOL"] });
    await runInDurableObject(env.BRIDGE_POOL.getByName("sam/1"), async (_object, { storage: { sql } }) => {
      const mails = new FleetMails(bindings, sql, () => undefined);
      const watch = new FleetWatch({
        env: bindings,
        sql,
        times: new StoredTimes(sql, "fleet_time"),
        mails,
        pool: "sam/1",
        rearm: () => undefined,
      });
      const mailed = () => sql.exec("SELECT text FROM fleet_mail WHERE user_id = ? ORDER BY id", who.user.id).toArray();
      const report = (change: Partial<Parameters<FleetWatch["reported"]>[1]>) => {
        watch.reported("eu-1", { type: "load", sessions: 12, rss_mb: 1, cpu: 0, away: 12, ...change });
        vi.setSystemTime(Date.now() + 11 * 60_000);
        watch.run(Date.now());
      };
      const claimed = (count: number) => vi.waitFor(() => expect(claims).toHaveLength(count), { timeout: 60_000 });
      report({});
      report({});
      await claimed(1);
      report({ troubles: [{ kind: "close", code: "405", total: 12, sessions: 12 }] });
      claims[0]?.release();
      await vi.waitFor(() => expect(mailed()).toHaveLength(1), { timeout: 60_000 });
      await vi.waitFor(() => expect(watch.nextDue()).not.toBeNull(), { timeout: 60_000 });
      report({ troubles: [{ kind: "close", code: "405", total: 12, sessions: 12 }] });
      await claimed(2);
      claims[1]?.release();
      await vi.waitFor(() => expect(mailed()).toEqual([expect.anything(), { text: expect.stringContaining("close 405") }]), {
        timeout: 60_000,
      });
    });
  });

  it("sends one email to an owner with numbers at both", async () => {
    const { who } = await holder();
    const { mails, passes, shards, end } = await watched();
    await passes(2, [12, 12]);
    for (const { pool } of shards) {
      const connection = await TestConnection.create({ home: pool, owner_id: who.user.id });
      expect(await stubOf(pool).takeAway(connection.uuid)).toBe(true);
    }
    await passes(15, [12, 12]);
    const toOwner = () => mails.filter(({ to }) => to === who.user.email);
    await vi.waitFor(async () => expect(await gatheredFor(who.user.id)).toHaveLength(1), { timeout: 60_000 });
    await ownerMailed(who.user.id);
    expect(toOwner()).toHaveLength(1);
    await passes(15, [12, 12]);
    expect(await gatheredFor(who.user.id)).toEqual([]);
    expect(toOwner()).toHaveLength(1);
    end();
  });

  it("reaches the pages that watch the proxies", async () => {
    const { call } = await admin();
    const bridge = await bridgeAt("sam/1");
    const socket = await openProxySocket(withShards());
    socket?.accept();
    const told = new Promise((resolve) => socket?.addEventListener("message", ({ data }) => resolve(data)));
    const host = hostName();
    const { id } = await madeProxy(call, { host });
    const checking = stubOf("sam/1").checkProxy(id);
    await answerCheck([bridge], host, { ok: true, latency_ms: 12, exit: null });
    expect(await checking).toBe(true);
    expect(await told).toBe("changed");
    socket?.close();
  });
});

it("a bridge is drained by the pool that has it", async () => {
  const one = await bridgeAt("sam/1");
  expect(await drainBridge(withShards(), one.id, true)).toEqual({ ok: true, value: { sessions: 0 } });
  await one.control.next("drain");
  expect(await drainBridge(withShards(), "nobody", true)).toMatchObject({ ok: false, failure: { code: "bridge_not_found" } });
});

it("settings for all bridges reach a shard that was down, within a minute", async () => {
  const rollout = { build: "b2", percent: 5, connections: [] };
  const lacking = withShards({ BRIDGE_POOL: without("sam/2") });
  await setShareOfAll(lacking, rollout);
  await setClientVersionOfAll(lacking, { version: "2.3000.1", max: null });
  expect((await stubOf("sam/1").fleet()).rollout).toMatchObject(rollout);
  expect((await stubOf("sam/2").fleet()).rollout).toBeNull();
  await keepAllBridges(withShards());
  expect((await stubOf("sam/2").fleet()).rollout).toMatchObject(rollout);
  expect(await stubOf("sam/2").clientVersion()).toEqual({ version: "2.3000.1", max: null });
});

it("a connection that gets another home moves there, and never has two sessions that may write", async () => {
  const [one, two] = [await bridgeAt("sam/1"), await bridgeAt("sam/2")];
  const { connection, session } = await connectedAt("sam/1", one);
  await connection.change({ home: "sam/2" });
  const moved = await two.open(connection.uuid);
  expect(moved.generation).toBeGreaterThan(session.generation);
  expect([...moved.rows]).toEqual([["creds|me", "1"]]);
  await moved.commit([event.open()]);
  expect(await connection.status()).toBe("connected/ok");
  await session.frames.closed;
  await vi.waitFor(async () => expect(await placedAt("sam/1", connection)).toEqual([]), { timeout: 60_000 });
  expect(await placedAt("sam/2", connection)).toEqual([{ generation: moved.generation }]);
});

it("the session that a connection leaves behind cannot write, also when it goes on running", async () => {
  const [one, two] = [await bridgeAt("sam/1"), await bridgeAt("sam/2")];
  const { connection, session } = await connectedAt("sam/1", one);
  session.stubborn = true;
  await connection.change({ home: "sam/2" });
  const moved = await two.open(connection.uuid);
  await moved.commit([event.open()], [["creds|me", "2"]]);
  await session.frames.closed;
  expect((await session.redial().then((again) => again.frames.closed)).code).toBeGreaterThanOrEqual(4_000);
  expect(await connection.sql("SELECT value FROM state_row WHERE key = 'creds|me'")).toEqual([{ value: "2" }]);
  expect(await placedAt("sam/2", connection)).toEqual([{ generation: moved.generation }]);
});

it("a session that waits for a bridge goes on waiting in its new home", async () => {
  const connection = await TestConnection.create({ home: "sam/1" });
  connections.push(connection);
  await connection.ask("instance.connect", { force_new_pairing: false });
  await vi.waitFor(async () => expect(await placedAt("sam/1", connection)).toHaveLength(1), { timeout: 60_000 });
  await connection.change({ home: "sam/2" });
  const session = await (await bridgeAt("sam/2")).open(connection.uuid);
  await session.commit([event.open()]);
  expect(await connection.status()).toBe("connected/ok");
  await vi.waitFor(async () => expect(await placedAt("sam/1", connection)).toEqual([]), { timeout: 60_000 });
});

it("a bridge that connects to another pool than its credential's is refused", async () => {
  const headers = { upgrade: "websocket", ...bridgeHeaders("eu-1", undefined, "sam/1") };
  const answers = async (path: string) => (await gateway(withShards())(path, { headers })).status;
  expect(await answers("/internal/bridges?pool=sam/2")).toBe(403);
  expect(await answers("/internal/bridges")).toBe(403);
  for (const pool of ["sam/2", "default"]) {
    const answer = await stubOf(pool).fetch("https://gateway/", { headers });
    expect([answer.status, await answer.json()]).toEqual([403, { error: { code: "forbidden" } }]);
  }
  expect(await answers("/internal/bridges?pool=sam/1")).toBe(101);
});

it("a bridge that was told no pool gets one of its region, with the credential for it", async () => {
  await keepAllBridges(withShards({ POOL_SHARDS: "sam:1,weur:2" }));
  await env.DB.prepare("UPDATE pool_shard SET bridges = 3 WHERE name = 'weur/1'").run();
  const homeOf = async (bindings: Env, path: string, headers = bridgeHeaders("eu-1")) =>
    BridgeHome.parse(await (await gateway(bindings)(path, { headers })).json());
  const shards = withShards({ POOL_SHARDS: "sam:1,weur:2" });
  const home = await homeOf(shards, "/internal/bridges/home?region=WEUR");
  expect(home).toEqual({ pool: "weur/2", credential: bridgeHeaders("eu-1", undefined, "weur/2").authorization.slice(7) });
  expect((await homeOf(shards, "/internal/bridges/home?region=eeur")).pool).toBe("weur/2");
  expect((await homeOf(shards, "/internal/bridges/home?region=sam")).pool).toBe("sam/1");
  expect((await homeOf(shards, "/internal/bridges/home", bridgeHeaders("eu-1", undefined, "weur/1"))).pool).toBe("weur/1");
  expect(await homeOf(env as Env, "/internal/bridges/home?region=weur")).toEqual({
    pool: "default",
    credential: bridgeHeaders("eu-1").authorization.slice(7),
  });
  expect((await gateway(shards)("/internal/bridges/home")).status).toBe(401);
});

it("a new connection gets a home where its creator is, as soon as a shard there has a bridge", async () => {
  const shards = withShards({ POOL_SHARDS: "sam:1,weur:1" });
  const { connection: owner } = { connection: await TestConnection.create() };
  connections.push(owner);
  const made = async (region: "sam" | "weur" | null) => {
    const created = await createConnection(shards, { ownerId: "owner", name: "Loja", kind: "session", region }, Date.now());
    return created.ok ? created.value.home : created.failure.code;
  };
  await keepAllBridges(shards);
  expect(await made("weur")).toBeNull();
  await bridgeAt("sam/1");
  await vi.waitFor(async () => expect(await made("weur")).toBe("sam/1"), { timeout: 60_000 });
  await env.DB.prepare("UPDATE pool_shard SET bridges = 1, written_at = ? WHERE name = 'weur/1'").bind(Date.now()).run();
  expect(await made("weur")).toBe("weur/1");
  await env.DB.prepare("UPDATE pool_shard SET connections = 8000 WHERE name = 'weur/1'").run();
  expect(await made("weur")).toBe("sam/1");
  expect(await made(null)).toBe("sam/1");
  await keepAllBridges(shards);
  const counted = env.DB.prepare("SELECT connections FROM pool_shard WHERE name = 'weur/1'");
  await vi.waitFor(async () => {
    await keepAllBridges(shards);
    expect(await counted.first()).toEqual({ connections: 1 });
  });
});

describe("connections of a pool that the setting no longer names", () => {
  const rehoming = (shards: string, limit = "300") => withShards({ POOL_SHARDS: shards, POOL_REHOMED_PER_MINUTE: limit });
  const homeIn = async ({ uuid }: TestConnection) =>
    env.DB.prepare("SELECT home FROM connection WHERE uuid = ?").bind(uuid).first<string | null>("home");

  /** The directory learns the session's new home slightly later. */
  const rehomed = (connection: TestConnection, env: Env, home: string | null) =>
    vi.waitFor(
      async () => {
        await rehomeSome(env, Date.now(), async () => {});
        expect(await homeIn(connection)).toBe(home);
      },
      { timeout: 60_000, interval: 200 },
    );

  it("go to a shard with room, five a second, those without a session first, and back again", async () => {
    const [first, one] = [await bridgeAt("default"), await bridgeAt("sam/1", { capacity: 20 })];
    const held = await connectedAt(null, first);
    const idle = await Promise.all(Array.from({ length: 6 }, () => TestConnection.create()));
    const shards = rehoming("sam:1");
    await keepAllBridges(shards);
    const arriving = one.open(held.connection.uuid);
    const order: (string | null)[] = [];
    await rehomeSome(shards, Date.now(), async () => void order.push(await homeIn(held.connection)));
    expect(order).toEqual([null]);
    await rehomed(held.connection, shards, "sam/1");
    expect(await Promise.all([held.connection, ...idle].map(homeIn))).toEqual(Array.from({ length: 7 }, () => "sam/1"));
    const moved = await arriving;
    expect(moved.generation).toBeGreaterThan(held.session.generation);
    await moved.commit([event.open()]);
    await held.session.frames.closed;
    expect(await held.connection.status()).toBe("connected/ok");
    // The pool told the first bridge to exit once it was empty.
    const returning = (await bridgeAt("default")).open(held.connection.uuid);
    await rehomed(held.connection, rehoming(""), null);
    const back = await returning;
    expect(back.generation).toBeGreaterThan(moved.generation);
    await back.commit([event.open()]);
    expect(await held.connection.status()).toBe("connected/ok");
  });

  it("stay if no shard has room, or if `POOL_REHOMED_PER_MINUTE` is 0", async () => {
    const idle = await TestConnection.create();
    await keepAllBridges(rehoming("sam:1"));
    await rehomeSome(rehoming("sam:1"), Date.now(), async () => {});
    expect(await homeIn(idle)).toBeNull();
    await bridgeAt("sam/1");
    await rehomeSome(withShards({ POOL_SHARDS: "sam:1" }), Date.now(), async () => {});
    expect(await homeIn(idle)).toBeNull();
  });

  it("leave bridges behind that end when the last one has gone", async () => {
    const [first] = [await bridgeAt("default"), await bridgeAt("sam/1", { capacity: 50 })];
    const shards = rehoming("sam:1");
    await keepAllBridges(shards);
    await TestConnection.create();
    await vi.waitFor(
      async () => {
        await rehomeSome(shards, Date.now(), async () => {});
        expect(first.control.types).toContain("drain");
      },
      { timeout: 60_000 },
    );
  });
});
