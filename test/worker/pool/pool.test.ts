// Session placement, and the pool's reaction to a lost bridge. All tests share one pool, so each removes its bridges.
import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Bridge } from "#root/durable-objects/bridge-pool/bridges.ts";
import { Capacity } from "#root/durable-objects/bridge-pool/capacity.ts";
import { containersNeeded } from "#root/durable-objects/bridge-pool/containers.ts";
import { BRIDGE_TIMEOUT_MS, CONTROL_CLOSE } from "@gateway/protocol/bridge-socket.ts";
import { DIALS } from "@gateway/protocol/session-socket.ts";
import { FakeBridge, type FakeSession, pool } from "../fakes/bridge.ts";
import { event, TestConnection } from "../fakes/connection.ts";
import { CRASH } from "../support/crash.ts";
import { ringAlarm } from "../support/eviction.ts";

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
  // Once the pool answers this call, it has processed the hello.
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

const bridgeOf = async ({ id }: FakeBridge) => (await pool().list()).bridges.find((bridge) => bridge.id === id);

/** A bridge with connected sessions, then a second one. */
async function hosting(
  count: number,
  other: Parameters<typeof FakeBridge.dial>[0] = {},
): Promise<{ one: FakeBridge; two: FakeBridge; held: { connection: TestConnection; session: FakeSession }[] }> {
  const one = await dial();
  const held: { connection: TestConnection; session: FakeSession }[] = [];
  for (let n = 0; n < count; n++) {
    const connection = await requestSession();
    const session = await one.open(connection.uuid);
    await session.commit([event.open()], [["creds|me", `${n}`]]);
    held.push({ connection, session });
  }
  return { one, two: await dial(other), held };
}

/** Advances time for the pool and fires its alarm. */
async function after(ms: number): Promise<void> {
  vi.setSystemTime(Date.now() + ms);
  await ringAlarm(pool());
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
    drainForced: false,
    leavingAt: null,
    build: null,
    version: null,
    lastSeenAt: 0,
    detachedAt: null,
    startedAt: null,
    region: null,
    clientVersion: null,
    servedVersion: null,
    ...change,
  });
  const choose = (all: Bridge[], load: Record<string, number>) => {
    const isConnected = ({ network, detachedAt }: Bridge) => network === "local" && detachedAt === null;
    const bridges = {
      ids: () => all.map(({ id }) => id),
      find: (id: string) => all.find((known) => known.id === id),
      isConnected,
      isUsable: (known: Bridge) => isConnected(known) && !known.draining,
    };
    return new Capacity({ bridges, isNew: () => false, assigned: (id) => load[id] ?? 0 }).best("other")?.id ?? null;
  };

  it("to the bridge with the smallest share of its capacity in use", () => {
    expect(choose([bridge("a"), bridge("b"), bridge("c")], { a: 3, b: 1, c: 2 })).toBe("b");
    expect(choose([bridge("a", { capacity: 100 }), bridge("b", { capacity: 10 })], { a: 11, b: 2 })).toBe("a");
  });

  it("to the one with the least CPU load among equals", () => {
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

  it("is removed when it is withdrawn", async () => {
    const connection = await requestSession();
    await vi.waitFor(async () => expect((await pool().list()).queued).toBe(1));
    await connection.ask("instance.disconnect", {});
    await vi.waitFor(async () => expect((await pool().list()).queued).toBe(0));
  });

  it("does not bring a second bridge when it is repeated for the same generation", async () => {
    const [one, two] = [await dial(), await dial()];
    const placement = { connection: crypto.randomUUID(), generation: 3 };
    expect(await pool().place({ ...placement, ticket: "a" })).toEqual({ queued: false });
    expect(await pool().place({ ...placement, ticket: "b" })).toEqual({ queued: false });
    expect(await pool().place({ ...placement, generation: 2, ticket: "c" })).toEqual({ queued: false });
    expect([...one.control.rest, ...two.control.rest]).toHaveLength(1);
  });
});

it("placements on a bridge that gets many at once report how long they wait for their turn", async () => {
  const id = crypto.randomUUID();
  await dial({ id, capacity: 200 });
  const place = async () => (await pool().place({ connection: crypto.randomUUID(), generation: 1, ticket: "t" })).wait_ms ?? 0;
  const waits: number[] = [];
  for (let n = 0; n < 20; n++) waits.push(await place());
  const { atOnce, eachMs } = DIALS;
  expect(waits).toEqual(waits.map((_, n) => Math.max(0, n + 1 - atOnce) * eachMs));
  vi.setSystemTime(Date.now() + 1_000);
  expect(await place(), "the bridge has dialled some of them").toBe((20 + 1 - atOnce) * eachMs - 1_000);
  vi.setSystemTime(Date.now() + 60_000);
  expect(await place()).toBe(0);
});

describe("a dead bridge", () => {
  it("has 3 s to reconnect after its socket closed; then all its sessions move with their state", async () => {
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

  it("counts as dead after 12 s of silence, even if it closed nothing", async () => {
    const { one, two, held } = await hosting(1);
    await after(BRIDGE_TIMEOUT_MS - 1);
    two.say({ type: "load", sessions: 0, rss_mb: 100, cpu: 0 });
    await vi.waitFor(async () => expect((await pool().list()).bridges.find(({ id }) => id === two.id)?.rss_mb).toBe(100));
    await after(1);
    expect(await one.control.closed).toMatchObject({ reason: "silent" });
    for (const { connection, session } of held) expect((await two.open(connection.uuid)).generation).toBe(session.generation + 1);
  });

  it("leaves no row behind when its connections have all heard of it", async () => {
    const { one, two, held } = await hosting(1);
    await one.left();
    await after(3_000);
    const rows = () =>
      runInDurableObject(pool(), (_object, { storage }) => storage.sql.exec<{ id: string }>("SELECT id FROM bridge").toArray());
    for (const { connection } of held) await two.open(connection.uuid);
    expect(await rows(), "a pool that starts again finds it dead again").toHaveLength(2);
    await pool().keepBridges();
    await pool().keepBridges();
    expect(await rows()).toEqual([{ id: two.id }]);
    expect(await pool().list()).toMatchObject({ placed: 1, queued: 0 });
  });

  it("keeps the sessions it still holds if it reconnects in time, and loses the others", async () => {
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

  it("is told so if another process takes its place with the same credential", async () => {
    const one = await dial();
    await dial({ id: one.id });
    expect(await one.control.closed).toMatchObject({ code: CONTROL_CLOSE.replaced });
  });

  it("is asked to close its sessions if it comes back after they moved", async () => {
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

  it("is detected even by a pool that was restarted itself", async () => {
    const { two, held } = await hosting(1);
    await evictDurableObject(pool(), { webSockets: "close" });
    const again = await dial({ id: two.id });
    await after(10_000);
    for (const { connection, session } of held) expect((await again.open(connection.uuid)).generation).toBe(session.generation + 1);
  });
});

describe("a draining bridge", () => {
  it("gets no new sessions, and ends when those it has have moved", async () => {
    const { one, two, held } = await hosting(2);
    expect(await pool().drain(one.id, false)).toEqual({ ok: true, value: { sessions: 2 } });
    const [first, second] = held;
    if (first === undefined || second === undefined) throw new Error("two were held");
    expect(await first.session.frames.next("stop")).toEqual({ type: "stop", logout: false, finish_ms: 3_000 });
    const moved = await two.open(first.connection.uuid);
    expect(moved.rows.get("creds|me")).toBe("0");
    await moved.commit([event.open()]);
    expect(one.control.rest, "one session has not arrived").toEqual([]);
    await (await two.open(second.connection.uuid)).commit([event.open()]);
    expect(await one.control.next("drain")).toEqual({ type: "drain" });
    await two.open((await requestSession()).uuid);
    expect(await bridgeOf(one)).toMatchObject({ draining: true, assigned: 0 });
    expect(await pool().drain("nobody", false)).toMatchObject({ ok: false, failure: { code: "bridge_not_found" } });
  });

  it("keeps its sessions if they fit nowhere else, unless the drain is forced", async () => {
    const { one, two, held } = await hosting(2, { capacity: 1 });
    expect(await pool().drain(one.id, false)).toEqual({
      ok: false,
      failure: { code: "bridge_full", details: { sessions: 2, room: 1 } },
    });
    expect(await bridgeOf(one)).toMatchObject({ draining: false, assigned: 2 });
    expect(await pool().drain(one.id, true)).toEqual({ ok: true, value: { sessions: 2 } });
    expect(await one.control.next("drain")).toEqual({ type: "drain" });
    expect(await pool().list()).toMatchObject({ queued: 1 });
    const waiting = await Promise.all(held.map(({ connection }) => connection.status()));
    expect(waiting).toEqual(["connecting/moving", "connecting/moving"]);
    expect(two.control.rest).toHaveLength(1);
  });

  it("keeps a session while no other bridge has room, and gives it away once one has", async () => {
    const { one, two, held } = await hosting(1, { capacity: 1 });
    await two.left();
    await dial({ id: two.id, capacity: 1 });
    const taken = await requestSession();
    // The only other free slot is taken before the session could move.
    await runInDurableObject(pool(), (_object, { storage }) =>
      storage.sql.exec("UPDATE placement SET bridge = ? WHERE connection = ?", two.id, taken.uuid),
    );
    await runInDurableObject(pool(), (_object, { storage }) => storage.sql.exec("UPDATE bridge SET draining = 1 WHERE id = ?", one.id));
    await evictDurableObject(pool());
    await pool().keepBridges();
    expect(await held[0]?.connection.status()).toBe("connected/ok");
    const three = await dial();
    await (await three.open(held[0]?.connection.uuid ?? "")).commit([event.open()]);
    expect(await one.control.next("drain")).toEqual({ type: "drain" });
  });

  it("moves no more than four sessions at once", async () => {
    const { one, two, held } = await hosting(6);
    await pool().drain(one.id, false);
    const opened = () => two.control.rest.filter(({ type }) => type === "open").length;
    await vi.waitFor(() => expect(opened()).toBe(4));
    await pool().keepBridges();
    expect(opened()).toBe(4);
    expect(await bridgeOf(one)).toMatchObject({ assigned: 2 });
    for (let n = 0; n < held.length; n++) {
      const next = await vi.waitUntil(() => two.control.rest.find((frame) => frame.type === "open"), { timeout: 60_000 });
      await (await two.open(next.placement.connection)).commit([event.open()]);
    }
    expect(await one.control.next("drain")).toEqual({ type: "drain" });
  });

  it("takes sessions again as a new process, and only then", async () => {
    const one = await dial({ startedAt: 1 });
    await pool().drain(one.id, false);
    await one.control.next("drain");
    await one.left();
    const sameProcess = await dial({ id: one.id, startedAt: 1 });
    expect(await bridgeOf(one)).toMatchObject({ draining: true });
    expect(await sameProcess.control.next("drain")).toEqual({ type: "drain" });
    await sameProcess.left();
    const restarted = await dial({ id: one.id, startedAt: 2 });
    expect(await bridgeOf(one)).toMatchObject({ draining: false, started_at: 2 });
    await restarted.open((await requestSession()).uuid);
  });

  it("is drained as a new process without force, although the process before was forced", async () => {
    const { one } = await hosting(0);
    await pool().drain(one.id, true);
    await one.control.next("drain");
    one.say({ type: "draining" });
    await one.left();
    const restarted = await dial({ id: one.id, startedAt: 2 });
    const rows = () =>
      runInDurableObject(pool(), (_object, { storage }) =>
        storage.sql.exec("SELECT draining, drain_forced FROM bridge WHERE id = ?", one.id).one(),
      );
    expect(await rows()).toEqual({ draining: 0, drain_forced: 0 });
    await pool().drain(restarted.id, false);
    expect(await rows()).toEqual({ draining: 1, drain_forced: 0 });
  });

  it("keeps a session that is on its way until it has been taken over, also when the pool starts again", async () => {
    const { one, two, held } = await hosting(1);
    const [first] = held;
    if (first === undefined) throw new Error("one was held");
    first.session.stubborn = true;
    await pool().drain(one.id, false);
    await first.session.frames.next("stop");
    await runInDurableObject(pool(), (_object, state) => state.abort(CRASH)).catch(() => undefined);
    const { generation } = first.session;
    const again = await dial({ id: one.id, sessions: [{ connection: first.connection.uuid, generation }] });
    const other = await dial({ id: two.id });
    expect(await bridgeOf(one)).toMatchObject({ draining: true, assigned: 1 });
    // The pool has asked its object again by now.
    await first.connection.status();
    await pool().keepBridges();
    expect(again.control.rest).toEqual([]);
    expect(await bridgeOf(one)).toMatchObject({ draining: true, assigned: 1 });
    first.session.drop();
    await (await other.open(first.connection.uuid)).commit([event.open()]);
    expect(await again.control.next("drain")).toEqual({ type: "drain" });
  });

  it("takes sessions again if it dials in with none and is an older release that reports no start time", async () => {
    const one = await dial();
    await pool().drain(one.id, false);
    await one.left();
    await dial({ id: one.id });
    expect(await bridgeOf(one)).toMatchObject({ draining: false, started_at: null });
  });

  it("loses its sessions at once if it ends by itself", async () => {
    const { one, two, held } = await hosting(1);
    one.say({ type: "draining" });
    await two.open(held[0]?.connection.uuid ?? "");
    expect(await bridgeOf(one)).toMatchObject({ draining: true, assigned: 0 });
  });
});

describe("a session moved by an administrator", () => {
  const move = async ({ uuid }: { uuid: string }, to: string | null = null) => pool().move(uuid, to);

  it("moves to the bridge that is named, with its state, and is not reported to anybody", async () => {
    const { one, two, held } = await hosting(2);
    const three = await dial();
    const [first] = held;
    if (first === undefined) throw new Error("two were held");
    const answer = move(first.connection, three.id);
    expect(await first.session.frames.next("stop")).toEqual({ type: "stop", logout: false, finish_ms: 3_000 });
    const moved = await three.open(first.connection.uuid);
    expect(moved.rows.get("creds|me")).toBe("0");
    expect(await first.connection.status()).toBe("connecting/moving");
    await moved.commit([event.open()]);
    expect(await answer).toEqual({ ok: true, value: { from: one.id, to: three.id, arrived: true } });
    expect(await first.connection.status()).toBe("connected/ok");
    expect(await assigned()).toEqual({ [one.id]: 1, [two.id]: 0, [three.id]: 1 });
    expect(one.control.rest).toEqual([]);
  });

  it("moves to the least loaded other bridge when none is named", async () => {
    const { two, held } = await hosting(1);
    const [first] = held;
    if (first === undefined) throw new Error("one was held");
    const answer = move(first.connection);
    await (await two.open(first.connection.uuid)).commit([event.open()]);
    expect(await answer).toMatchObject({ value: { to: two.id } });
  });

  it("stays where it is when it cannot move, and the refusal says why", async () => {
    const { one, two, held } = await hosting(2);
    const [first] = held;
    if (first === undefined) throw new Error("two were held");
    const code = async (to: string | null, connection: { uuid: string } = first.connection) => {
      const answer = await move(connection, to);
      return answer.ok ? null : answer.failure.code;
    };
    expect(await code("nobody")).toBe("bridge_not_found");
    expect(await code(one.id)).toBe("already_on_bridge");
    const full = await dial({ capacity: 1 });
    await runInDurableObject(pool(), (_object, { storage }) => storage.sql.exec("UPDATE bridge SET capacity = 0 WHERE id = ?", full.id));
    await evictDurableObject(pool());
    expect(await code(full.id)).toBe("bridge_full");
    await full.left();
    await runInDurableObject(pool(), (_object, { storage }) => storage.sql.exec("UPDATE bridge SET draining = 1 WHERE id = ?", two.id));
    await evictDurableObject(pool());
    expect(await code(two.id)).toBe("bridge_draining");
    expect(await code(null)).toBe("bridge_full");
    expect(await code(null, { uuid: crypto.randomUUID() })).toBe("instance_not_connected");
    expect(await first.connection.status()).toBe("connected/ok");
  });

  it("stays where it is if it is not connected to the network", async () => {
    const { held } = await hosting(1);
    const [first] = held;
    if (first === undefined) throw new Error("one was held");
    await first.session.commit([event.closed("lost")]);
    expect(await move(first.connection)).toMatchObject({ ok: false, failure: { code: "instance_not_connected" } });
    expect(await first.connection.status()).toBe("connecting/reconnecting");
  });

  it("has a reserved place, which no other session gets", async () => {
    const { one, held } = await hosting(2);
    const last = await dial({ capacity: 1 });
    const [first, second] = held;
    if (first === undefined || second === undefined) throw new Error("two were held");
    first.session.stubborn = true;
    const answer = move(first.connection, last.id);
    await first.session.frames.next("stop");
    expect(await move(second.connection, last.id)).toMatchObject({ ok: false, failure: { code: "bridge_full" } });
    first.session.drop();
    await (await last.open(first.connection.uuid)).commit([event.open()]);
    expect(await answer).toMatchObject({ value: { to: last.id, arrived: true } });
    expect((await assigned())[one.id]).toBe(1);
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

it("the pool goes on after an eviction on the same sockets", async () => {
  const bridge = await dial();
  await evictDurableObject(pool());
  const connection = await requestSession();
  expect((await bridge.open(connection.uuid)).bridge).toBe(bridge.id);
});

it("the pool starts a container before capacity runs out", () => {
  expect([0, 1, 120, 121, 240, 241].map((sessions) => containersNeeded(sessions))).toEqual([1, 1, 1, 2, 2, 3]);
});

it("the pool leaves containers alone where bridges run elsewhere", async () => {
  await expect(env.BRIDGE_POOL.getByName("default").keepBridges()).resolves.toBeUndefined();
});
