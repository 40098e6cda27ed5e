// Containers that misbehave like the platform's: refused starts, hanging ports, `running` without a process, SIGTERM 15 minutes ahead.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { ContainerStarts } from "#root/durable-objects/bridge-pool/container-starts.ts";
import type { Pool } from "#root/durable-objects/bridge-pool/pool.ts";
import type { Env } from "#root/src/env.ts";
import { metricsOfBridge, restartBridge } from "#root/src/services/bridges/pools.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { FakeBridge } from "../fakes/bridge.ts";
import { type Calls, codeOf, holder } from "../support/accounts.ts";
import type { Conduct, ContainerRuntime } from "../support/container-runtime.ts";
import { evict, ringAlarm, runAlarmsUntil } from "../support/eviction.ts";
import { gateway } from "../support/gateway.ts";
import type { HostedBridge, HostingPool } from "../support/hosted-bridges.ts";

const NAMES = ["bridge-0", "bridge-1", "bridge-2"];
const ours = { BRIDGE_POOL: env.HOSTING_POOL } as unknown as Pick<Env, "BRIDGE_POOL">;

let pool: DurableObjectStub<HostingPool>;
const bridges: FakeBridge[] = [];

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
  pool = env.HOSTING_POOL.getByName(DEFAULT_POOL);
  // Email stays in the pool's list while each attempt fails.
  vi.spyOn(env.MAIL, "send").mockRejectedValue(new Error("no mail"));
});
afterEach(async () => {
  for (const bridge of bridges.splice(0)) bridge.leave();
  for (const name of NAMES) {
    await inContainer(name, (container) => {
      Object.assign(container, { conduct: "sound", sessions: 0 });
      container.end();
    });
  }
  await runInDurableObject(pool, (_object, { storage }) =>
    storage.sql.exec(
      "DELETE FROM bridge; DELETE FROM placement; DELETE FROM fleet_alarm; DELETE FROM fleet_time; DELETE FROM fleet_mail; DELETE FROM bridge_start",
    ),
  );
  await evict(pool);
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const stub = (name: string) => env.BRIDGE_CONTAINER.getByName(name);
const inContainer = <T>(name: string, look: (container: ContainerRuntime) => T): Promise<T> =>
  runInDurableObject(stub(name), (bridge) => look((bridge as HostedBridge).runtime));
const behave = (name: string, conduct: Conduct) => inContainer(name, (container) => void (container.conduct = conduct));
const figures = (name: string) =>
  inContainer(name, ({ running, destroyed, killed, starts }) => ({ running, destroyed, killed, starts: starts.length }));

async function wantSessions(count: number): Promise<void> {
  await runInDurableObject(pool, (_object, { storage }) =>
    storage.sql.exec(
      `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
        INSERT INTO placement (connection, generation, bridge, ticket, lost, wished_at) SELECT 'c' || n, 1, NULL, 't', 0, n FROM n`,
      count,
    ),
  );
  await evict(pool);
}

async function dial(id: string): Promise<FakeBridge> {
  const bridge = await FakeBridge.dial({ id, at: pool, capacity: 150 });
  bridges.push(bridge);
  await pool.list();
  return bridge;
}

/** Advances minute by minute, evicting the pool each time. */
async function passMinutes(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    await evict(pool);
    vi.setSystemTime(Date.now() + MINUTE_MS);
    await pool.keepBridges();
  }
}

/** An administrator of the gateway that starts its own bridges, or of another gateway. */
async function administrator(ask = gateway(ours)): Promise<{ call: Calls; id: string; key: string }> {
  const { call, who, key } = await holder(ask);
  await setRole(env.DB, who.user.id, "admin");
  return { call, id: who.user.id, key };
}

const mailsTo = (user: string) =>
  runInDurableObject(pool, (_object, { storage }) =>
    storage.sql.exec<{ text: string }>("SELECT text FROM fleet_mail WHERE user_id = ?", user).toArray(),
  );
const alarms = async () => (await pool.fleet()).alarms.map(({ kind, code, sessions }) => ({ kind, code, sessions }));

describe("a container that says running and is not", () => {
  it("is found, replaced, and told to the administrators", async () => {
    const { id } = await administrator();
    await wantSessions(5);
    await behave("bridge-0", "phantom");
    const before = await figures("bridge-0");
    await pool.keepBridges();
    await passMinutes(3);
    expect(await figures("bridge-0")).toEqual({ ...before, running: true, starts: before.starts + 1 });
    expect(await alarms()).toEqual([]);
    await passMinutes(1);
    expect(await figures("bridge-0")).toMatchObject({ running: true, destroyed: before.destroyed + 1, starts: before.starts + 2 });
    expect(await alarms()).toEqual([{ kind: "container", code: "bridge-0", sessions: 5 }]);
    await runAlarmsUntil(pool, Date.now() + MINUTE_MS, { kept: true, settle: async () => void (await pool.fleet()) });
    await vi.waitFor(async () => expect(await mailsTo(id)).toHaveLength(1));
    const [mail] = await mailsTo(id);
    expect(mail?.text).toContain("foram reiniciados, porque o bridge deles não se conectava:\n- container bridge-0: 5 sessões sem vaga");
    expect(mail?.text).toContain("were restarted, because their bridge did not connect:\n- container bridge-0: 5 sessions without room");
    expect(mail?.text).not.toContain("Many numbers have the same problem");

    await behave("bridge-0", "sound");
    await dial("bridge-0");
    expect((await pool.list()).bridges).toMatchObject([{ id: "bridge-0", connected: true, container: true }]);
    const { destroyed } = await figures("bridge-0");
    await runInDurableObject(pool, (object) => object.keepBridges());
    expect(await figures("bridge-0")).toMatchObject({ destroyed });
  });

  it("raises one alarm, which ends ten minutes after its bridge has connected", async () => {
    await wantSessions(1);
    await behave("bridge-0", "phantom");
    await pool.keepBridges();
    await passMinutes(9);
    expect(await alarms()).toHaveLength(1);
    await behave("bridge-0", "sound");
    const stays = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        bridges.pop()?.leave();
        vi.setSystemTime(Date.now() + MINUTE_MS);
        await dial("bridge-0");
        await pool.keepBridges();
      }
    };
    await stays(9);
    expect(await alarms()).toHaveLength(1);
    await stays(3);
    expect(await alarms()).toEqual([]);
  });

  it("is found and replaced with all the others when none of them is what it says", async () => {
    await wantSessions(250);
    for (const name of NAMES) await behave(name, "phantom");
    const before = await Promise.all(NAMES.map(figures));
    await pool.keepBridges();
    await passMinutes(4);
    const after = await Promise.all(NAMES.map(figures));
    expect(after.map(({ destroyed }, n) => destroyed - (before[n]?.destroyed ?? 0))).toEqual([1, 1, 1]);
    expect((await alarms()).map(({ kind, code }) => `${kind} ${code}`).toSorted()).toEqual(NAMES.map((name) => `container ${name}`));

    for (const name of NAMES) await behave(name, "sound");
    await passMinutes(4);
    for (const name of NAMES) await dial(name);
    await runInDurableObject(pool, (object) => object.keepBridges());
    const { bridges: listed, placed } = await pool.list();
    expect([
      listed
        .filter(({ connected }) => connected)
        .map(({ id }) => id)
        .toSorted(),
      placed,
    ]).toEqual([NAMES, 250]);
  });
});

describe.each(["refused", "hanging", "phantom"] as const)("one of three containers that is %s", (conduct) => {
  it("delays no other, and serves when it is sound again", async () => {
    await wantSessions(250);
    await behave("bridge-1", conduct);
    await pool.keepBridges();
    expect(await figures("bridge-0")).toMatchObject({ running: true });
    expect(await figures("bridge-2")).toMatchObject({ running: true });
    await behave("bridge-1", "sound");
    await passMinutes(5);
    expect(await figures("bridge-1")).toMatchObject({ running: true });
    await dial("bridge-1");
    expect((await pool.list()).placed).toBe(150);
  });

  it("can be restarted by an administrator", async () => {
    await wantSessions(250);
    await behave("bridge-1", conduct);
    await pool.keepBridges();
    expect(await restartBridge({ ...env, ...ours } as Env, "bridge-1")).toEqual(conduct === "phantom" ? restarted : failing);
    await behave("bridge-1", "sound");
    const { destroyed } = await figures("bridge-1");
    expect(await restartBridge({ ...env, ...ours } as Env, "bridge-1")).toEqual(restarted);
    expect(await figures("bridge-1")).toMatchObject({ running: true, destroyed: destroyed + 1 });
  });
});

const restarted = { ok: true, value: { sessions: 0 } };
const failing = { ok: false, failure: { code: "unavailable" } };

describe("a container that gets SIGTERM", () => {
  it("goes on for up to 15 minutes, is not started meanwhile, and again when it was killed", async () => {
    await wantSessions(1);
    await pool.keepBridges();
    const before = await figures("bridge-0");
    await inContainer("bridge-0", (container) => {
      container.sessions = 1;
      container.signal(15);
    });
    for (let minute = 0; minute < 14; minute += 1) {
      vi.setSystemTime(Date.now() + MINUTE_MS);
      await stub("bridge-0").keep("bridge-0", DEFAULT_POOL, true);
    }
    expect(await figures("bridge-0")).toEqual(before);
    vi.setSystemTime(Date.now() + MINUTE_MS);
    await stub("bridge-0").keep("bridge-0", DEFAULT_POOL, true);
    expect(await figures("bridge-0")).toMatchObject({ running: true, killed: before.killed + 1, starts: before.starts + 1 });
  });

  it("ends at once if nobody keeps it and it has no sessions, and otherwise not at all", async () => {
    const expire = async () => {
      const at = await runInDurableObject(stub("bridge-2"), (bridge) => (bridge as unknown as { sleepAfterMs: number }).sleepAfterMs);
      vi.setSystemTime(at);
      await ringAlarm(stub("bridge-2"));
      return inContainer("bridge-2", ({ running, signals }) => ({ running, signals: signals.length }));
    };
    await stub("bridge-2").keep("bridge-2", DEFAULT_POOL, true);
    const before = await inContainer("bridge-2", ({ signals }) => signals.length);
    await inContainer("bridge-2", (container) => void (container.sessions = 3));
    expect(await expire()).toEqual({ running: true, signals: before });
    await inContainer("bridge-2", (container) => void (container.sessions = 0));
    expect(await expire()).toEqual({ running: false, signals: before + 1 });
  });
});

describe("an administrator", () => {
  it("reads the metrics of a bridge in its container, as text", async () => {
    await wantSessions(1);
    await pool.keepBridges();
    expect(await metricsOfBridge({ ...env, ...ours } as Env, "bridge-0")).toEqual({ ok: true, value: "gateway_bridge_capacity 150\n" });
    const { key } = await administrator();
    const answer = await gateway(ours)("/api/admin/bridges/bridge-0/metrics", { headers: { "x-api-key": key } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect(await answer.text()).toBe("gateway_bridge_capacity 150\n");
  });

  it("restarts a container, which the audit log shows", async () => {
    await wantSessions(1);
    await pool.keepBridges();
    const before = await figures("bridge-0");
    const { call } = await administrator();
    const { status, body } = await call("POST", "/admin/bridges/bridge-0/restart", { reason: "deaf" });
    expect([status, body]).toEqual([200, { message: "The bridge starts again." }]);
    expect(await figures("bridge-0")).toMatchObject({ running: true, destroyed: before.destroyed + 1, starts: before.starts + 1 });
    const [entry] = (await call("GET", "/admin/audit?target=bridge-0")).body.data;
    expect(entry).toMatchObject({ action: "restartBridge", reason: "deaf", before: { sessions: 0 }, outcome: "done" });
  });

  it("is told which bridge has no container here", async () => {
    const { call } = await administrator(gateway());
    const outside = await FakeBridge.dial({ id: "own-host" });
    await vi.waitFor(async () => expect((await env.BRIDGE_POOL.getByName("default").list()).bridges).toHaveLength(1));
    for (const [method, act] of [
      ["POST", "restart"],
      ["GET", "metrics"],
    ] as const) {
      const code = async (id: string) => codeOf(await call(method, `/admin/bridges/${id}/${act}`, method === "POST" ? {} : undefined));
      expect(await code("own-host")).toEqual([409, "bridge_elsewhere"]);
      expect(await code("nobody")).toEqual([404, "bridge_not_found"]);
    }
    await outside.left();
  });
});

it("an exception while containers are started does not keep later ones from being started", async () => {
  const counts = vi.fn<Pool["placements"]["counts"]>(() => {
    throw new Error("broken by the test");
  });
  const starts = new ContainerStarts({
    env: { ...(env as unknown as Env), BRIDGE_HOST: "cloudflare" },
    name: DEFAULT_POOL,
    pool: { placements: { counts } } as unknown as Pool,
    answerMs: undefined,
    replaced: () => undefined,
    kept: () => undefined,
  });
  for (const calls of [1, 2]) {
    starts.request();
    await Promise.resolve();
    expect(counts).toHaveBeenCalledTimes(calls);
  }
});
