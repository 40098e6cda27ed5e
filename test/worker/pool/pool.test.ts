// Where sessions go, and what the pool does when a bridge is gone. The pool is one object for all tests of this file: each test
// takes its bridges away again.
import { env } from "cloudflare:workers";
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Bridge } from "../../../durable-objects/bridge-pool/bridges.ts";
import { leastLoaded } from "../../../durable-objects/bridge-pool/pool.ts";
import { containersNeeded } from "../../../durable-objects/bridge-pool/containers.ts";
import { BRIDGE_TIMEOUT_MS } from "../../../src/protocol/bridge-socket.ts";
import { FakeBridge, type FakeSession, pool } from "../fakes/bridge.ts";
import { event, TestConnection } from "../fakes/connection.ts";

const connections: TestConnection[] = [];
const bridges: FakeBridge[] = [];

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
});
afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.ask("instance.disconnect", {});
  for (const bridge of bridges.splice(0)) bridge.leave();
  await runInDurableObject(pool(), (_object, { storage }) => storage.sql.exec("DELETE FROM bridge; DELETE FROM placement"));
  await evictDurableObject(pool());
  vi.useRealTimers();
});

async function dial(options: Parameters<typeof FakeBridge.dial>[0] = {}): Promise<FakeBridge> {
  const bridge = await FakeBridge.dial(options);
  bridges.push(bridge);
  // The pool has processed the hello once it answers a later call.
  await pool().list();
  return bridge;
}

async function requestSession(): Promise<TestConnection> {
  const connection = await TestConnection.create();
  connections.push(connection);
  await connection.ask("instance.connect", { force_new_pairing: false });
  return connection;
}

const assigned = async () => Object.fromEntries((await pool().list()).bridges.map(({ id, assigned }) => [id, assigned]));

/** Lets time pass in the pool, as its alarm would. */
async function after(ms: number): Promise<void> {
  vi.setSystemTime(Date.now() + ms);
  await runDurableObjectAlarm(pool());
}

describe("a session goes", () => {
  const bridge = (id: string, change: Partial<Bridge> = {}): Bridge => ({
    id,
    network: "local",
    capacity: 10,
    sessions: 0,
    rss_mb: 0,
    cpu: 0,
    draining: false,
    lastSeenAt: 0,
    detachedAt: null,
    ...change,
  });
  const choose = (all: Bridge[], load: Record<string, number>) => leastLoaded(all, (id) => load[id] ?? 0, "local")?.id ?? null;

  it("to the bridge with the smallest share of its capacity in use", () => {
    expect(choose([bridge("a"), bridge("b"), bridge("c")], { a: 3, b: 1, c: 2 })).toBe("b");
    expect(choose([bridge("a", { capacity: 100 }), bridge("b", { capacity: 10 })], { a: 11, b: 2 })).toBe("a");
  });

  it("among equals to the one with the least CPU load", () => {
    expect(choose([bridge("a", { cpu: 0.7 }), bridge("b", { cpu: 0.2 })], {})).toBe("b");
  });

  it("never to a full, draining, absent or foreign one", () => {
    expect(choose([bridge("a", { capacity: 1 })], { a: 1 })).toBeNull();
    expect(choose([bridge("a", { draining: true }), bridge("b", { detachedAt: 1 }), bridge("c", { network: "real" })], {})).toBeNull();
  });

  it("evenly over the connected bridges", async () => {
    const [one, two] = [await dial({ capacity: 4 }), await dial({ capacity: 4 })];
    for (let n = 0; n < 6; n++) await requestSession();
    await vi.waitFor(async () => expect(await assigned()).toEqual({ [one.id]: 3, [two.id]: 3 }));
  });
});

describe("a placement request", () => {
  it("waits for a bridge that connects", async () => {
    const connection = await requestSession();
    await vi.waitFor(async () => expect((await pool().list()).queued).toBe(1));
    const session = await (await dial()).open(connection.uuid);
    await session.commit([event.open()]);
    expect(await connection.status()).toBe("connected/ok");
    expect(await pool().list()).toMatchObject({ queued: 0, placed: 1 });
  });

  it("waits until a bridge has room, oldest first", async () => {
    const bridge = await dial({ capacity: 1 });
    const first = await requestSession();
    await bridge.open(first.uuid);
    const second = await requestSession();
    await vi.waitFor(async () => expect((await pool().list()).queued).toBe(1));
    await first.ask("instance.disconnect", {});
    expect((await bridge.open(second.uuid)).generation).toBe(1);
  });

  it("that is withdrawn is removed", async () => {
    const connection = await requestSession();
    await vi.waitFor(async () => expect((await pool().list()).queued).toBe(1));
    await connection.ask("instance.disconnect", {});
    await vi.waitFor(async () => expect((await pool().list()).queued).toBe(0));
  });

  it("repeated for the same generation does not bring a second bridge", async () => {
    const [one, two] = [await dial(), await dial()];
    const placement = { connection: crypto.randomUUID(), generation: 3 };
    expect(await pool().place({ ...placement, ticket: "a" })).toEqual({ queued: false });
    expect(await pool().place({ ...placement, ticket: "b" })).toEqual({ queued: false });
    expect(await pool().place({ ...placement, generation: 2, ticket: "c" })).toEqual({ queued: false });
    expect([...one.control.rest, ...two.control.rest]).toHaveLength(1);
  });
});

describe("a dead bridge", () => {
  async function hosting(
    count: number,
  ): Promise<{ one: FakeBridge; two: FakeBridge; held: { connection: TestConnection; session: FakeSession }[] }> {
    const one = await dial();
    const held: { connection: TestConnection; session: FakeSession }[] = [];
    for (let n = 0; n < count; n++) {
      const connection = await requestSession();
      const session = await one.open(connection.uuid);
      await session.commit([event.open()], [["creds|me", `${n}`]]);
      held.push({ connection, session });
    }
    return { one, two: await dial(), held };
  }
  it("whose socket closed has 3 s to reconnect, then all its sessions move with their state", async () => {
    const { one, two, held } = await hosting(3);
    await one.left();
    await after(2_000);
    expect(await assigned()).toEqual({ [one.id]: 3, [two.id]: 0 });
    await after(1_000);
    for (const [n, { connection, session }] of held.entries()) {
      const moved = await two.open(connection.uuid);
      expect(moved.generation).toBe(session.generation + 1);
      expect(moved.rows.get("creds|me")).toBe(`${n}`);
      await moved.commit([event.open()]);
      expect(await connection.status()).toBe("connected/ok");
    }
    expect(await assigned()).toEqual({ [two.id]: 3 });
  });

  it("that falls silent without closing anything is dead after 12 s", async () => {
    const { one, two, held } = await hosting(1);
    await after(BRIDGE_TIMEOUT_MS - 1);
    two.say({ type: "load", sessions: 0, rss_mb: 100, cpu: 0 });
    await vi.waitFor(async () => expect((await pool().list()).bridges.find(({ id }) => id === two.id)?.rss_mb).toBe(100));
    await after(1);
    expect(await one.control.closed).toMatchObject({ reason: "silent" });
    for (const { connection, session } of held) expect((await two.open(connection.uuid)).generation).toBe(session.generation + 1);
  });

  it("that reconnects in time keeps the sessions it still holds and loses the others", async () => {
    const { one, two, held } = await hosting(2);
    await one.left();
    await after(2_000);
    const [kept, lost] = held;
    if (kept === undefined || lost === undefined) throw new Error("two were held");
    const again = await dial({ id: one.id, sessions: [{ connection: kept.connection.uuid, generation: kept.session.generation }] });
    const moved = await two.open(lost.connection.uuid);
    expect(moved.generation).toBe(lost.session.generation + 1);
    expect(again.control.rest).toEqual([]);
    expect(await assigned()).toEqual({ [one.id]: 1, [two.id]: 1 });
    expect(await kept.connection.status()).toBe("connected/ok");
  });

  it("that comes back after its sessions moved is asked to close them", async () => {
    const { one, two, held } = await hosting(1);
    await one.left();
    await after(3_000);
    const [first] = held;
    if (first === undefined) throw new Error("one was held");
    await two.open(first.connection.uuid);
    const placement = { connection: first.connection.uuid, generation: first.session.generation };
    const again = await dial({ id: one.id, sessions: [placement] });
    expect(await again.control.next("close")).toEqual({ type: "close", placement });
  });

  it("is detected also by a pool that was restarted itself", async () => {
    const { two, held } = await hosting(1);
    await evictDurableObject(pool(), { webSockets: "close" });
    const again = await dial({ id: two.id });
    await after(10_000);
    for (const { connection, session } of held) expect((await again.open(connection.uuid)).generation).toBe(session.generation + 1);
  });
});

describe("a draining bridge", () => {
  it("gets no new sessions, and those it has move", async () => {
    const one = await dial();
    const connection = await requestSession();
    const session = await one.open(connection.uuid);
    await session.commit([event.open()]);
    const two = await dial();
    expect(await pool().drain(one.id)).toBe(true);
    expect(await one.control.next("drain")).toEqual({ type: "drain" });
    await two.open(connection.uuid);
    await two.open((await requestSession()).uuid);
    expect((await pool().list()).bridges.find(({ id }) => id === one.id)).toMatchObject({ draining: true, assigned: 0 });
    expect(await pool().drain("nobody")).toBe(false);
  });
});

it("a session that its bridge gave up is placed again", async () => {
  const bridge = await dial();
  const connection = await requestSession();
  const session = await bridge.open(connection.uuid);
  bridge.say({ type: "gone", placement: { connection: connection.uuid, generation: session.generation } });
  expect((await bridge.open(connection.uuid)).generation).toBe(session.generation + 1);
});

it("a bridge of another network is refused", async () => {
  const stranger = await dial({ network: "real" });
  expect(await stranger.control.closed).toMatchObject({ reason: "another network" });
  expect((await pool().list()).bridges).toEqual([]);
});

it("a bridge that sends an invalid frame is refused", async () => {
  const bridge = await dial();
  bridge.control.send("{}");
  expect(await bridge.control.closed).toMatchObject({ code: 4003 });
});

it("goes on after an eviction on the same sockets", async () => {
  const bridge = await dial();
  await evictDurableObject(pool());
  const connection = await requestSession();
  expect((await bridge.open(connection.uuid)).bridge).toBe(bridge.id);
});

it("starts a container before capacity runs out", () => {
  expect([0, 1, 120, 121, 240, 241].map((sessions) => containersNeeded(sessions))).toEqual([1, 1, 1, 2, 2, 3]);
});

it("leaves containers alone where bridges run elsewhere", async () => {
  await expect(env.BRIDGE_POOL.getByName("default").keepBridges()).resolves.toBeUndefined();
});
