// Failover: a bridge's sessions after its loss.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { gridOf } from "@gateway/domain/spread.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { REDIAL_WITHIN_MS, SESSION_CLOSE } from "@gateway/protocol/session-socket.ts";
import { pool } from "../fakes/bridge.ts";
import { allEnded, event, OTHER, TestConnection } from "../fakes/connection.ts";
import { Receiver } from "../fakes/receiver.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
});
afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Waits until the object has noticed that the session's socket closed. */
const noticed = (connection: TestConnection) =>
  vi.waitFor(async () => {
    const [row] = await connection.sql<{ phase: string }>("SELECT state ->> '$.lease.phase' AS phase FROM instance");
    expect(row?.phase).toBe("detached");
  });

describe("a session whose socket closed without a stop", () => {
  it("stays with a bridge that reconnects in its turn after a deploy", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    session.drop();
    await noticed(connection);
    await connection.after(REDIAL_WITHIN_MS - 1);
    const again = await session.redial();
    await again.commit([], [["creds|me", "AAAA"]]);
    await connection.after(60_000);
    expect(await connection.status()).toBe("connected/ok");
    expect(bridge.control.rest).toEqual([]);
  });

  it("moves to another bridge at once with its state when its own is dead, without an event within 10 s", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    await session.commit([], [["creds|me", "AAAA"]]);
    const second = await connection.bridge();
    await bridge.left();
    session.drop();
    await noticed(connection);
    await connection.stub.bridgeLost(session.generation);
    expect(await connection.status()).toBe("connecting/moving");
    const moved = await second.open(connection.uuid);
    expect(moved.generation).toBe(session.generation + 1);
    expect(moved.rows.get("creds|me")).toBe("AAAA");
    await moved.commit([event.open()]);
    await connection.after(60_000);
    expect(await connection.status()).toBe("connected/ok");
    expect(receiver.deliveries).toEqual([]);
  });

  it("waits in the pool while there is no bridge, with an event after 10 s", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    await bridge.left();
    session.drop();
    await noticed(connection);
    await connection.stub.bridgeLost(session.generation);
    await connection.after(12_000);
    expect((await receiver.next("instance.status")).data).toMatchObject({ status: "disconnected", reason: "moving" });
    const late = await connection.bridge();
    const moved = await late.open(connection.uuid);
    await moved.commit([event.open()]);
    expect((await receiver.next("instance.status")).data).toMatchObject({ status: "connected" });
  });

  it("is detected also when the object was not in memory as it closed", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    const second = await connection.bridge();
    await bridge.left();
    await evictDurableObject(connection.stub, { webSockets: "close" });
    await connection.stub.poke();
    await connection.after(REDIAL_WITHIN_MS);
    const moved = await second.open(connection.uuid);
    expect(moved.generation).toBe(session.generation + 1);
  });

  it("moves by itself if its bridge's loss is not reported, but not before its bridge had its turn to dial", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    await bridge.left();
    session.drop();
    await noticed(connection);
    await connection.after(REDIAL_WITHIN_MS - 1);
    expect(await connection.status()).toBe("connected/ok");
    await connection.after(1);
    expect(await connection.status()).toBe("connecting/moving");
    expect((await receiver.next("instance.status")).data).toMatchObject({ status: "disconnected", reason: "moving" });
  });

  it("is not moved again by a late report of an older bridge", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    await connection.stub.bridgeLost(session.generation);
    const moved = await bridge.open(connection.uuid);
    await moved.commit([event.open()]);
    await connection.stub.bridgeLost(session.generation);
    expect(await connection.status()).toBe("connected/ok");
    bridge.say({ type: "gone", placement: { connection: connection.uuid, generation: session.generation } });
    await moved.commit([]);
    expect(await connection.status()).toBe("connected/ok");
  });
});

it("a bridge that accepts a session and never connects is replaced after 10 s", async () => {
  const connection = await TestConnection.create();
  const bridge = await connection.bridge();
  await connection.ask("instance.connect", { force_new_pairing: false });
  const first = await bridge.control.next("open");
  await connection.after(10_000);
  const second = await bridge.control.next("open");
  expect(second.placement.generation).toBe(first.placement.generation + 1);
});

it("a drained bridge's session stops before the next one starts", async () => {
  const { connection, bridge, session } = await TestConnection.connected();
  session.stubborn = true;
  const second = await connection.bridge();
  bridge.say({ type: "draining" });
  expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: false });
  await session.commit([], [["creds|me", "LAST"]]);
  session.drop();
  const moved = await second.open(connection.uuid);
  expect(moved.rows.get("creds|me")).toBe("LAST");
  expect(bridge.control.rest.filter(({ type }) => type === "open")).toEqual([]);
});

it("a session that moves ends the commands that it was given", async () => {
  const { connection, bridge, session } = await TestConnection.connected();
  session.stubborn = true;
  const asked = connection.ask("chats.typing", { chat_id: `${OTHER}@c.us`, state: "typing", duration_ms: 1_000 });
  const command = await session.frames.next("command");
  const moving = connection.stub.handOver(session.generation, true);
  await session.frames.next("stop");
  session.say({ type: "failed", id: command.id, failure: { code: "network_timeout" } });
  expect(await asked, "its bridge's response counts, although the session is ending").toMatchObject({ code: "network_timeout" });
  session.drop();
  await (await bridge.open(connection.uuid)).commit([event.open()]);
  expect(await moving).toBe("moved");
});

describe("the old bridge of a moving session", () => {
  /** A session that was asked to move and is finishing its work. */
  async function moving() {
    const { connection, bridge, session } = await TestConnection.connected();
    session.stubborn = true;
    void connection.stub.handOver(session.generation, true);
    expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: false, finish_ms: 3_000 });
    return { connection, bridge, session };
  }

  it("is told to unlink the device on a logout", async () => {
    const { connection, session } = await moving();
    await connection.ask("instance.logout", {});
    expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: true });
    // Key changes during the logout are not stored.
    await session.commit([], [["creds|me", "LAST"]]);
    expect(await connection.sql("SELECT * FROM state_row")).toEqual([]);
    session.drop();
  });

  it("is told to unlink the device before it is paired anew", async () => {
    const { connection, session, bridge } = await moving();
    await connection.ask("instance.connect", { force_new_pairing: true });
    expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: true });
    session.drop();
    expect((await bridge.open(connection.uuid)).generation).toBe(session.generation + 3);
  });

  it("is told to unlink the device when the connection is being removed", async () => {
    const { connection, session } = await moving();
    await connection.stub.remove();
    expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: true });
    session.drop();
  });

  it("is told to stop when the owner is suspended", async () => {
    const { connection, session } = await moving();
    await connection.change({ owner_suspended: true });
    expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: false });
    session.drop();
  });

  it("is told each of these once, also after its lease has ended", async () => {
    const { connection, session } = await moving();
    await connection.ask("instance.disconnect", {});
    expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: false });
    await connection.ask("instance.logout", {});
    expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: true });
    await connection.ask("instance.logout", {});
    await session.commit([]);
    expect(session.frames.rest.filter(({ type }) => type === "stop")).toEqual([]);
    session.drop();
  });

  it("is told nothing new when the pool asks again, which waits for the same move", async () => {
    const { connection, bridge, session } = await moving();
    const again = connection.stub.handOver(session.generation, false);
    await connection.status();
    session.drop();
    const moved = await bridge.open(connection.uuid);
    expect(moved.generation).toBe(session.generation + 1);
    await moved.commit([event.open()]);
    expect(await again).toBe("moved");
    expect(await connection.stub.handOver(session.generation, false)).toBe("ended");
  });
});

it("a session that does not stop is closed after 10 s", async () => {
  const { connection, session } = await TestConnection.connected();
  session.stubborn = true;
  await connection.ask("instance.disconnect", {});
  await session.frames.next("stop");
  await connection.after(10_000);
  expect(await session.frames.closed).toMatchObject({ code: SESSION_CLOSE.stopped });
});

it("an idle connected session needs no alarm of its own", async () => {
  const { connection } = await TestConnection.connected();
  const alarm = await runInDurableObject(connection.stub, (_object, { storage }) => storage.getAlarm());
  // Only hourly and daily work remains, each at its time.
  const daily = gridOf(connection.uuid, DAY_MS)(Date.now());
  expect(alarm === daily || (alarm ?? Number.POSITIVE_INFINITY) > Date.now() + 3_600_000).toBe(true);
  expect((await pool().list()).queued).toBe(0);
});
