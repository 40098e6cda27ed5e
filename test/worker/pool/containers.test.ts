// Bridges in the platform's own containers: how many, their environment, and their shutdown.
import { DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";
import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { VersionedSecrets } from "@gateway/domain/keys/secrets.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { keepAllBridges } from "#root/src/services/bridges/pools.ts";
import { containersToKeep } from "#root/durable-objects/bridge-pool/containers.ts";
import { bridgeHeaders, FakeBridge } from "../fakes/bridge.ts";
import type { ContainerRuntime } from "../support/container-runtime.ts";
import type { HostedBridge, HostingPool } from "../support/hosted-bridges.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { ringAlarm } from "../support/eviction.ts";
import { failingDatabase } from "../support/failing-database.ts";

let pool: DurableObjectStub<HostingPool>;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
  pool = env.HOSTING_POOL.getByName(crypto.randomUUID());
});
afterEach(async () => {
  for (const name of ["bridge-0", "bridge-1", "bridge-2"]) await inContainer(name, (container) => container.running && container.end());
  vi.useRealTimers();
});

const stub = (name: string) => env.BRIDGE_CONTAINER.getByName(name);
const inContainer = <T>(name: string, look: (container: ContainerRuntime) => T): Promise<T> =>
  runInDurableObject(stub(name), (bridge) => look((bridge as HostedBridge).runtime));
const running = () => Promise.all(["bridge-0", "bridge-1", "bridge-2"].map((name) => inContainer(name, (container) => container.running)));
/** Makes this many sessions wait for a bridge. */
async function wantSessions(count: number): Promise<void> {
  await runInDurableObject(pool, (_object, { storage }) =>
    storage.sql.exec(
      `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
        INSERT INTO placement (connection, generation, bridge, ticket, lost, wished_at) SELECT 'c' || n, 1, NULL, 't', 0, n FROM n`,
      count,
    ),
  );
  await evictDurableObject(pool);
}
const requestSession = () => pool.place({ connection: crypto.randomUUID(), generation: 1, ticket: "ticket" });

describe("bridges on containers", () => {
  it("are started under their own names with all settings of a bridge", async () => {
    await pool.keepBridges();
    expect(await running()).toEqual([true, false, false]);
    expect(await inContainer("bridge-0", ({ starts }) => starts.at(-1))).toEqual({
      enableInternet: true,
      env: {
        BRIDGE_GATEWAY_URL: env.BASE_URL,
        BRIDGE_CREDENTIAL: bridgeHeaders("bridge-0").authorization.replace("Bearer ", ""),
        BRIDGE_POOL: "default",
        BRIDGE_NETWORK: env.BRIDGE_NETWORK,
        BRIDGE_CAPACITY: "150",
        BRIDGE_DRAIN_SECONDS: "840",
        BRIDGE_LOG_LEVEL: "info",
        BRIDGE_CLIENT_VERSION: "",
        BRIDGE_CLIENT_VERSION_MAX: "",
        OTEL_EXPORTER_OTLP_ENDPOINT: "",
        OTEL_EXPORTER_OTLP_HEADERS: "",
        OTEL_TRACES_SAMPLER_ARG: "",
      },
    });
  });

  it("start with the pool and credential of their shard", async () => {
    const shard = env.HOSTING_POOL.getByName("sam/7");
    await shard.place({ connection: crypto.randomUUID(), generation: 1, ticket: "ticket" });
    await shard.keepBridges();
    const started = await inContainer("sam/7/bridge-0", ({ starts }) => starts.at(-1)?.env);
    const credential = bridgeHeaders("sam-7-bridge-0", undefined, "sam/7").authorization.replace("Bearer ", "");
    expect(started).toMatchObject({ BRIDGE_POOL: "sam/7", BRIDGE_CREDENTIAL: credential });
    await inContainer("sam/7/bridge-0", (container) => container.end());
  });

  it("are not started for a shard that gets no connections and has none", async () => {
    await env.HOSTING_POOL.getByName("sam/8").keepBridges();
    expect(await inContainer("sam/8/bridge-0", ({ starts }) => starts.length)).toBe(0);
  });

  it("run once, and again when they have ended", async () => {
    const starts = () => inContainer("bridge-0", (container) => container.starts.length);
    await pool.keepBridges();
    const first = await starts();
    await pool.keepBridges();
    expect(await starts()).toBe(first);
    await inContainer("bridge-0", (container) => container.end());
    await pool.keepBridges();
    expect(await starts()).toBe(first + 1);
  });

  it("are started at once for a session that no bridge has room for", async () => {
    expect(await requestSession()).toEqual({ queued: true });
    await vi.waitFor(async () => expect(await running()).toEqual([true, false, false]));
  });

  it("are called a few times, however many sessions are queued at once", async () => {
    const keepCalls = () => runInDurableObject(stub("bridge-0"), (bridge) => (bridge as HostedBridge).keepCalls);
    const before = await keepCalls();
    const requests = Array.from({ length: 50 }, () => ({ connection: crypto.randomUUID(), generation: 1, ticket: "ticket" }));
    await runInDurableObject(pool, (object) => requests.forEach((request) => object.place(request)));
    await vi.waitFor(async () => expect(await running()).toEqual([true, false, false]));
    await pool.keepBridges();
    // There is one round for the first call, one for all calls queued during it, and one for the minute.
    expect((await keepCalls()) - before).toBeLessThanOrEqual(3);
  });

  it("grow with the sessions", async () => {
    await wantSessions(250);
    await pool.keepBridges();
    expect(await running()).toEqual([true, true, true]);
  });

  it("replace a dead one before the minute is over", async () => {
    const bridge = await FakeBridge.dial({ at: pool });
    await vi.waitFor(async () => expect((await pool.list()).bridges).toHaveLength(1));
    expect(await running()).toEqual([false, false, false]);
    bridge.leave();
    await vi.waitFor(async () => expect((await pool.list()).bridges).toMatchObject([{ connected: false }]));
    vi.setSystemTime(Date.now() + 4_000);
    await ringAlarm(pool);
    await vi.waitFor(async () => expect(await running()).toEqual([true, false, false]));
  });

  it("give their sessions to one that is started first, when they are drained", async () => {
    const bridge = await FakeBridge.dial({ id: "bridge-0", at: pool });
    await vi.waitFor(async () => expect((await pool.list()).bridges).toHaveLength(1));
    await requestSession();
    await pool.keepBridges();
    expect(await running()).toEqual([true, false, false]);
    expect(await pool.drain("bridge-0", false)).toEqual({ ok: true, value: { sessions: 1 } });
    await vi.waitFor(async () => expect(await running()).toEqual([true, true, false]));
    expect((await pool.list()).bridges, "no other bridge has room yet").toMatchObject([{ draining: true, assigned: 1 }]);
    await FakeBridge.dial({ id: "bridge-1", at: pool });
    expect(await bridge.control.next("drain")).toEqual({ type: "drain" });
  });

  it("stay with the sessions that they took from a drained one", async () => {
    const keepCalls = (name: string) => runInDurableObject(stub(name), (bridge) => (bridge as HostedBridge).keepCalls);
    const drained = await FakeBridge.dial({ id: "bridge-0", at: pool });
    await vi.waitFor(async () => expect((await pool.list()).bridges).toHaveLength(1));
    const connection = crypto.randomUUID();
    await pool.place({ connection, generation: 1, ticket: "ticket" });
    await pool.drain("bridge-0", true);
    const other = await FakeBridge.dial({ id: "bridge-1", at: pool });
    await pool.place({ connection, generation: 2, ticket: "ticket" });
    await other.control.next("open");
    drained.leave();
    await vi.waitFor(async () => expect((await pool.list()).bridges.map(({ connected }) => connected)).toEqual([false, true]));
    await pool.keepBridges();
    const before = { zero: await keepCalls("bridge-0"), one: await keepCalls("bridge-1") };
    await pool.keepBridges();
    expect(await keepCalls("bridge-1")).toBeGreaterThan(before.one);
    expect(await keepCalls("bridge-0"), "nothing needs the drained bridge").toBe(before.zero);
  });

  it.each([
    ["none runs: the first", [], 0, ["bridge-0"]],
    ["one has sessions", [["bridge-1", 1]], 1, ["bridge-1"]],
    ["one runs without sessions", [["bridge-2", 0]], 0, ["bridge-2"]],
    [
      "two have sessions, although one would do",
      [
        ["bridge-0", 1],
        ["bridge-3", 1],
      ],
      2,
      ["bridge-0", "bridge-3"],
    ],
    ["more is needed", [["bridge-1", 120]], 121, ["bridge-1", "bridge-0"]],
    ["one is being drained", [["bridge-0", 5, true]], 5, ["bridge-1", "bridge-0"]],
    [
      "one of two is being drained",
      [
        ["bridge-0", 5, true],
        ["bridge-1", 5],
      ],
      10,
      ["bridge-1", "bridge-0"],
    ],
    [
      "bridges run elsewhere as well",
      [
        ["of-our-own", 5],
        ["bridge-x", 5],
      ],
      10,
      ["bridge-0"],
    ],
  ] satisfies [string, [string, number, boolean?][], number, string[]][])("are kept when %s", (_when, connected, sessions, kept) => {
    const bridges = connected.map(([id, held, draining = false]) => ({ id, sessions: held, draining }));
    expect(containersToKeep(bridges, sessions)).toEqual(kept);
  });

  it("restart one at a time if their credential is of an older secret", async () => {
    const { BRIDGE_SECRET } = settingsOf(env as Env);
    const older: VersionedSecrets = new Map([...BRIDGE_SECRET].slice(1));
    const dial = (id: string, secrets: VersionedSecrets = older) => FakeBridge.dial({ id, at: pool, headers: bridgeHeaders(id, secrets) });
    const draining = async () => (await pool.list()).bridges.filter((bridge) => bridge.draining).map(({ id }) => id);
    const bridges = [await dial("bridge-0"), await dial("bridge-1"), await dial("bridge-2", BRIDGE_SECRET)];
    await vi.waitFor(async () => expect((await pool.list()).bridges).toHaveLength(3));
    await pool.keepBridges();
    await pool.keepBridges();
    expect(await draining()).toEqual(["bridge-0"]);
    expect(await bridges[0]?.control.next("drain")).toBeDefined();
    bridges[0]?.leave();
    await vi.waitFor(async () => expect((await pool.list()).bridges.map(({ connected }) => connected)).toEqual([false, true, true]));
    await pool.keepBridges();
    expect(await draining()).toEqual(["bridge-0", "bridge-1"]);
    bridges[1]?.leave();
    await dial("bridge-0", BRIDGE_SECRET);
    await vi.waitFor(async () => expect((await pool.list()).bridges.map(({ connected }) => connected)).toEqual([true, false, true]));
    await pool.keepBridges();
    expect(await draining()).toEqual(["bridge-1"]);
  });

  it("drain and end after ten minutes without a keep call", async () => {
    await pool.keepBridges();
    vi.setSystemTime(Date.now() + 9 * MINUTE_MS);
    await stub("bridge-0").keep("bridge-0", DEFAULT_POOL, true);
    const awakeUntil = await runInDurableObject(stub("bridge-0"), (bridge) => (bridge as unknown as { sleepAfterMs: number }).sleepAfterMs);
    expect(awakeUntil - Date.now(), "a keep call keeps it awake").toBe(10 * MINUTE_MS);
    vi.setSystemTime(awakeUntil);
    await ringAlarm(stub("bridge-0"));
    expect(await inContainer("bridge-0", ({ signals, running }) => ({ signals, running }))).toEqual({ signals: [15], running: false });
  });

  it("stay awake with sessions although nobody keeps them, and end without", async () => {
    await pool.keepBridges();
    const expire = async () => {
      const awakeUntil = await runInDurableObject(
        stub("bridge-0"),
        (bridge) => (bridge as unknown as { sleepAfterMs: number }).sleepAfterMs,
      );
      vi.setSystemTime(awakeUntil);
      await ringAlarm(stub("bridge-0"));
      return inContainer("bridge-0", (container) => container.running);
    };
    await inContainer("bridge-0", (container) => void (container.sessions = 7));
    expect(await expire()).toBe(true);
    expect(await expire()).toBe(true);
    await inContainer("bridge-0", (container) => void (container.sessions = 0));
    expect(await expire()).toBe(false);
  });

  it("are kept awake while D1 fails for an hour", async () => {
    const DB = failingDatabase(env.DB, () => ({ message: "D1 DB is overloaded. Requests queued for too long." }));
    const failing = { ...env, DB, BRIDGE_POOL: env.HOSTING_POOL, BRIDGE_HOST: "cloudflare" } as unknown as Env;
    const awakeMs: number[] = [];
    for (let minute = 0; minute < 60; minute += 1) {
      await expect(keepAllBridges(failing)).rejects.toMatchObject({ cause: { message: expect.stringContaining("overloaded") } });
      awakeMs.push(
        (await runInDurableObject(stub("bridge-0"), (bridge) => (bridge as unknown as { sleepAfterMs: number }).sleepAfterMs)) - Date.now(),
      );
      vi.setSystemTime(Date.now() + MINUTE_MS);
    }
    expect(new Set(awakeMs)).toEqual(new Set([10 * MINUTE_MS]));
  });

  describe("when the start of one is refused", () => {
    const refuse = (name: string) => inContainer(name, (container) => void (container.conduct = "refused"));
    afterEach(() => inContainer("bridge-0", (container) => void (container.conduct = "sound")));

    it("do not wait for it, and its start is tried again", async () => {
      await refuse("bridge-0");
      await wantSessions(250);
      await pool.keepBridges();
      expect(await running()).toEqual([false, true, true]);
      await inContainer("bridge-0", (container) => void (container.conduct = "sound"));
      await pool.keepBridges();
      expect(await running()).toEqual([true, true, true]);
    });

    it("do not keep the shard from writing its summary", async () => {
      const name = "sam/9/bridge-0";
      await env.DB.prepare("INSERT INTO pool_shard (name) VALUES ('sam/9')").run();
      const shard = env.HOSTING_POOL.getByName("sam/9");
      await refuse(name);
      await shard.place({ connection: crypto.randomUUID(), generation: 1, ticket: "ticket" });
      await shard.keepBridges();
      const row = await env.DB.prepare("SELECT written_at FROM pool_shard WHERE name = 'sam/9'").first<{ written_at: number }>();
      expect(row?.written_at).toBe(Date.now());
    });
  });

  it("keep nobody waiting if they hang", async () => {
    const hang = (hangs: boolean) => runInDurableObject(stub("bridge-0"), (bridge) => void ((bridge as HostedBridge).hangs = hangs));
    await hang(true);
    await requestSession();
    await pool.keepBridges();
    await hang(false);
    // Starts are requested again without waiting for the hung ones.
    await pool.keepBridges();
    expect(await running()).toEqual([true, false, false]);
  });

  it.each([1, 3])("are replaced after three minutes without their bridge at the pool (%i of them)", async (count) => {
    await wantSessions(count === 1 ? 1 : 250);
    const destroyed = async () => {
      const all = await Promise.all(
        ["bridge-0", "bridge-1", "bridge-2"].map((name) => inContainer(name, (container) => container.destroyed)),
      );
      return all.reduce((sum, each) => sum + each, 0);
    };
    const before = await destroyed();
    const passMinute = async () => {
      vi.setSystemTime(Date.now() + MINUTE_MS);
      await pool.keepBridges();
    };
    await pool.keepBridges();
    // The first round that finds the container running without its bridge starts the wait.
    for (let minute = 0; minute < 3; minute += 1) await passMinute();
    expect((await destroyed()) - before).toBe(0);
    await passMinute();
    expect((await destroyed()) - before).toBe(count);
    expect((await running()).filter(Boolean)).toHaveLength(count);
    await FakeBridge.dial({ id: "bridge-0", at: pool });
    await vi.waitFor(async () => expect((await pool.list()).bridges).toHaveLength(1));
    const replaced = await inContainer("bridge-0", (container) => container.destroyed);
    for (let minute = 0; minute < 6; minute += 1) {
      await runInDurableObject(stub("bridge-0"), (bridge) => bridge.keep("bridge-0", "default", true));
      vi.setSystemTime(Date.now() + MINUTE_MS);
    }
    expect(await inContainer("bridge-0", (container) => container.destroyed)).toBe(replaced);
  });
});
