// Failures between dispatch and outcome: each outcome is reported correctly, and nothing is sent twice.
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { FakeBridge, FakeSession } from "../fakes/bridge.ts";
import { allEnded, event, type Result, TestConnection } from "../fakes/connection.ts";
import { acknowledged, ownText } from "../fakes/messages.ts";
import { Receiver } from "../fakes/receiver.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { ALL_MESSAGES } from "../store/queries.ts";
import { CRASH } from "../support/crash.ts";

const ID = "ABCDEF0123456789";
const DELIVERED = {
  type: "message.status",
  chat_id: "5511900000002@c.us",
  message_id: ID,
  status: "delivered",
  participant: null,
  timestamp: 1_760_000_000,
} as const;
const SENT_ROW: [string, string] = [`sent|${ID}`, "Ynl0ZXM="];

async function dispatched(): Promise<{
  connection: TestConnection;
  bridge: FakeBridge;
  session: FakeSession;
  sending: Promise<Result<unknown>>;
}> {
  const { connection, bridge, session } = await TestConnection.connected();
  const sending = connection.send("hello", { message_id: ID });
  await session.answer("send");
  return { connection, bridge, session, sending };
}

afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Makes these writes fail with the platform's own database error. */
const full = (connection: TestConnection, writes = /^\s*(INSERT|UPDATE|REPLACE)/i) =>
  connection.beforeStatements((query) => {
    if (writes.test(query)) throw new Error("database or disk is full: SQLITE_FULL");
  });

/** Makes the statement after the first one that matches throw. */
const breaksAfter = (connection: TestConnection, statement: RegExp) => {
  let state: "before" | "next" | "over" = "before";
  return connection.beforeStatements((query) => {
    if (state === "next") {
      state = "over";
      throw new Error("broken by the test");
    }
    if (state === "before" && statement.test(query)) state = "next";
  });
};

/** The bridge disappears, the pool reports it, and another bridge takes over. */
async function moved(connection: TestConnection, bridge: FakeBridge, session: FakeSession): Promise<FakeSession> {
  session.drop();
  await connection.stub.bridgeLost(session.generation);
  const next = await bridge.open(connection.uuid);
  await next.commit([event.open()]);
  return next;
}

describe("a bridge killed before it stored the message's bytes", () => {
  it("has certainly not sent it: it is dispatched to the next bridge under the same id", async () => {
    const { connection, bridge, session, sending } = await dispatched();
    const next = await moved(connection, bridge, session);
    expect(await next.answer("recall")).toEqual({ message_ids: [ID] });
    await next.settle(ID, { kind: "unknown" });
    expect(((await next.answer("send")) as SendRequest).message_id).toBe(ID);
    await next.settle(ID, acknowledged(ID, "hello"));
    expect(await sending).toMatchObject({ ok: true, value: { message_id: ID } });
  });

  it("passes the message on until a bridge sends it, even if three more are killed", async () => {
    const { connection, bridge, session, sending } = await dispatched();
    let current = session;
    for (let kill = 0; kill < 3; kill++) {
      current = await moved(connection, bridge, current);
      await current.answer("recall");
      await current.settle(ID, { kind: "unknown" });
      await current.answer("send");
    }
    await current.settle(ID, acknowledged(ID, "hello"));
    expect(await sending).toMatchObject({ ok: true });
  });
});

describe("a bridge whose session moves to another one", () => {
  it("gives back what it has not sent: the next one sends it while its caller waits", async () => {
    const { connection, bridge, session, sending } = await dispatched();
    session.stubborn = true;
    const moving = connection.stub.handOver(session.generation, true);
    await session.frames.next("stop");
    await session.settle(ID, { kind: "refused", failure: { code: "unavailable" } });
    session.drop();
    const next = await bridge.open(connection.uuid);
    await next.commit([event.open()]);
    expect(await moving).toBe("moved");
    expect(await next.answer("recall")).toEqual({ message_ids: [ID] });
    await next.settle(ID, { kind: "unknown" });
    expect(((await next.answer("send")) as SendRequest).message_id).toBe(ID);
    await next.settle(ID, acknowledged(ID, "hello"));
    expect(await sending).toMatchObject({ ok: true, value: { message_id: ID } });
  });

  it("may still report what it has sent", async () => {
    const { connection, session, sending } = await dispatched();
    session.stubborn = true;
    void connection.stub.handOver(session.generation, true);
    await session.frames.next("stop");
    await session.settle(ID, acknowledged(ID, "hello"));
    expect(await sending).toMatchObject({ ok: true, value: { message_id: ID } });
    session.drop();
  });

  it("makes a send that comes meanwhile wait for the next one", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    session.stubborn = true;
    void connection.stub.handOver(session.generation, true);
    await session.frames.next("stop");
    const sending = connection.send("hello", { message_id: ID });
    session.drop();
    const next = await bridge.open(connection.uuid);
    expect(session.commands).toEqual([]);
    await next.commit([event.open()]);
    await next.answer("send");
    await next.settle(ID, acknowledged(ID, "hello"));
    expect(await sending).toMatchObject({ ok: true });
  });
});

describe("a bridge killed after it stored the message's bytes", () => {
  it("may have sent it: without any proof in time the outcome is uncertain", async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date", "setTimeout", "clearTimeout"] });
    const { connection, bridge, session, sending } = await dispatched();
    await session.commit([], [SENT_ROW]);
    const next = await moved(connection, bridge, session);
    await next.answer("recall");
    await next.settle(ID, { kind: "unknown" });
    await connection.wait(10_000);
    expect(await sending).toMatchObject({ code: "send_outcome_unknown", details: { message_id: ID, chat_id: "5511900000002@c.us" } });
    // Repeating the call does not send the message again.
    expect(await connection.send("hello", { message_id: ID })).toMatchObject({ code: "send_outcome_unknown" });
    expect(next.frames.rest).toEqual([]);
  });

  it("has sent it when a receipt comes to the next bridge", async () => {
    const { connection, bridge, session, sending } = await dispatched();
    await session.commit([], [SENT_ROW]);
    const next = await moved(connection, bridge, session);
    await next.answer("recall");
    await next.settle(ID, { kind: "unknown" });
    await next.commit([{ key: `status:${ID}:delivered`, event: DELIVERED }]);
    expect(await sending).toMatchObject({ ok: true, value: { message_id: ID } });
  });

  it("has sent it if the recall finds the acknowledgement", async () => {
    const { connection, bridge, session, sending } = await dispatched();
    await session.commit([], [SENT_ROW]);
    const next = await moved(connection, bridge, session);
    await next.answer("recall");
    await next.settle(ID, acknowledged(ID, "hello"));
    expect(await sending).toMatchObject({ ok: true });
    expect(await connection.sql("SELECT state FROM outbox")).toEqual([{ state: "sent" }]);
  });
});

describe("a session socket that closed while its bridge lives", () => {
  it("loses nothing: the bridge reports the outcome after it has reconnected", async () => {
    const { session, sending } = await dispatched();
    session.drop();
    const again = await session.redial();
    await again.answer("recall");
    await again.settle(ID, acknowledged(ID, "hello"));
    expect(await sending).toMatchObject({ ok: true });
  });

  it("may have lost the send: it is dispatched again", async () => {
    const { session, sending } = await dispatched();
    session.drop();
    const again = await session.redial();
    await again.answer("recall");
    await again.settle(ID, { kind: "unknown" });
    await again.answer("send");
    await again.settle(ID, acknowledged(ID, "hello"));
    expect(await sending).toMatchObject({ ok: true });
  });
});

describe("an uncertain outcome", () => {
  async function uncertain() {
    const sent = await dispatched();
    const receiver = await Receiver.of(sent.connection);
    await sent.session.commit([], [SENT_ROW]);
    await sent.session.settle(ID, { kind: "uncertain" });
    expect(await sent.sending).toMatchObject({ code: "send_outcome_unknown" });
    return { ...sent, receiver };
  }
  const state = async (connection: TestConnection) => (await connection.sql<{ state: string }>("SELECT state FROM outbox"))[0]?.state;

  it("is corrected by a late acknowledgement", async () => {
    const { connection, session, receiver } = await uncertain();
    await session.settle(ID, acknowledged(ID, "hello"));
    expect((await receiver.next("message.sent")).data).toMatchObject({ message_id: ID, source: "api" });
    expect(await state(connection)).toBe("sent");
    expect(await connection.send("hello", { message_id: ID })).toMatchObject({ ok: true });
  });

  it("is corrected by a receipt", async () => {
    const { connection, session, receiver } = await uncertain();
    await session.commit([{ key: `status:${ID}:delivered`, event: DELIVERED }]);
    expect((await receiver.next("message.sent")).data).toMatchObject({ message_id: ID });
    expect((await receiver.next("message.status")).data).toMatchObject({ message_id: ID, status: "delivered" });
    expect(await connection.send("hello", { message_id: ID })).toMatchObject({ ok: true, value: { type: "text" } });
  });

  it("is corrected by the copy on another device, which is not reported as sent by the phone", async () => {
    const { connection, session, receiver } = await uncertain();
    await session.commit([
      { key: `message:${ID}`, event: { type: "message.upsert", origin: "own_device", message: ownText(ID, "hello") } },
    ]);
    expect((await receiver.next("message.sent")).data).toMatchObject({ message_id: ID, source: "api" });
    expect(await state(connection)).toBe("sent");
  });

  it("is reported as failed by an event if it turns out refused", async () => {
    const { connection, session, receiver } = await uncertain();
    await session.settle(ID, { kind: "refused", failure: { code: "temporarily_blocked" } });
    expect((await receiver.next("message.status")).data).toMatchObject({ message_id: ID, status: "failed" });
    expect(await state(connection)).toBe("refused");
  });

  it("is recalled from every new session, for an hour", async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
    const { connection, bridge, session } = await uncertain();
    const next = await moved(connection, bridge, session);
    expect(await next.answer("recall")).toEqual({ message_ids: [ID] });
    vi.setSystemTime(Date.now() + 3_600_001);
    const later = await moved(connection, bridge, next);
    await later.commit([]);
    expect(later.frames.rest).toEqual([]);
  });
});

describe("an object that was restarted", () => {
  it("still knows what it dispatched: a repeated call continues the first", async () => {
    const { connection, session, sending } = await dispatched();
    const broken = sending.catch((error: Error) => error.message);
    await connection.crash();
    expect(await broken).toBe(CRASH);
    const again = await session.redial();
    const resumed = connection.send("hello", { message_id: ID });
    await again.answer("recall");
    await again.settle(ID, acknowledged(ID, "hello"));
    expect(await resumed).toMatchObject({ ok: true, value: { message_id: ID } });
    expect(again.frames.rest.filter((frame) => frame.type === "command" && frame.name === "send")).toEqual([]);
  });

  it("abandons a send that was certainly not sent and has no waiting caller, with an event", async () => {
    const { connection, session, sending } = await dispatched();
    const receiver = await Receiver.of(connection);
    const broken = sending.catch((error: Error) => error.message);
    await connection.crash();
    expect(await broken).toBe(CRASH);
    const again = await session.redial();
    await again.answer("recall");
    await again.settle(ID, { kind: "unknown" });
    expect((await receiver.next("message.status")).data).toMatchObject({ message_id: ID, status: "failed" });
    expect(await connection.sql("SELECT state FROM outbox")).toEqual([{ state: "abandoned" }]);
  });
});

describe("an Idempotency-Key that came with another body after a crash", () => {
  const claimed = (fingerprint: string) => ({ idempotencyKey: "order-7", fingerprint });
  const marks = { replayed: true, mismatch: true };

  async function texts(connection: TestConnection): Promise<(string | null)[]> {
    const listed = await connection.ask("messages.list", ALL_MESSAGES);
    return listed.ok ? listed.value.items.map(({ text }) => text) : [];
  }

  it("sends the first body when that was not dispatched, and says so", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([event.closed("lost", 428)]);
    const sending = connection.send("first", {}, claimed("first")).catch((error: Error) => error.message);
    await connection.ask("instance.get", {});
    expect(await connection.sql("SELECT * FROM outbox")).toEqual([]);
    await connection.crash();
    expect(await sending).toBe(CRASH);
    const again = await session.redial();
    await again.commit([event.open()]);
    const other = connection.send("other", {}, claimed("other"));
    const request = (await again.answer("send")) as SendRequest;
    expect(request.content).toMatchObject({ text: "first" });
    await again.settle(request.message_id, acknowledged(request.message_id, "first"));
    expect(await other).toMatchObject({ ok: true, value: { message_id: request.message_id }, ...marks });
    const same = await connection.send("first", {}, claimed("first"));
    expect([same.ok && same.value.message_id, same.replayed, same.mismatch]).toEqual([request.message_id, true, undefined]);
    expect(await texts(connection)).toEqual(["first"]);
  });

  it("answers for the first body when that was dispatched", async () => {
    const { connection, session } = await TestConnection.connected();
    const sending = connection.send("first", {}, claimed("first")).catch((error: Error) => error.message);
    const { message_id } = (await session.answer("send")) as SendRequest;
    await connection.crash();
    expect(await sending).toBe(CRASH);
    const again = await session.redial();
    const other = connection.send("other", {}, claimed("other"));
    await again.answer("recall");
    await again.settle(message_id, acknowledged(message_id, "first"));
    expect(await other).toMatchObject({ ok: true, value: { message_id }, ...marks });
    expect(await texts(connection)).toEqual(["first"]);
  });
});

describe("an exception", () => {
  it("lets a retry of the Idempotency-Key continue a send that was stored before it, without sending twice", async () => {
    const { connection, session } = await TestConnection.connected();
    await breaksAfter(connection, /INTO outbox/);
    const keyed = { idempotencyKey: "order-7", fingerprint: "first" };
    expect(await connection.send("first", {}, keyed)).toEqual({ ok: false, code: "internal_error" });
    vi.restoreAllMocks();
    const [stored] = await connection.sql<{ message_id: string }>("SELECT message_id FROM outbox");
    const again = connection.send("first", {}, keyed);
    const { name, input } = await session.frames.next("command");
    const id = stored?.message_id ?? "";
    expect([name, JSON.parse(input)]).toEqual(["recall", { message_ids: [id] }]);
    await session.settle(id, { kind: "unknown" });
    expect(((await session.answer("send")) as SendRequest).message_id).toBe(id);
    await session.settle(id, acknowledged(id, "first"));
    expect(await again).toMatchObject({ ok: true, value: { message_id: id } });
    expect(session.frames.rest.filter(({ type }) => type === "command")).toEqual([]);
  });

  it("leaves the send to the next socket if it comes from a broken one, while the caller waits", async () => {
    const { connection, session } = await TestConnection.connected();
    let isBroken = false;
    await runInDurableObject(connection.stub, (_object, state) => {
      for (const socket of state.getWebSockets()) {
        vi.spyOn(socket, "send").mockImplementationOnce(() => {
          isBroken = true;
          throw new TypeError("Can't call WebSocket send() after close().");
        });
      }
    });
    const sending = connection.send("hello", { message_id: ID });
    await vi.waitFor(() => expect(isBroken).toBe(true));
    session.drop();
    const again = await session.redial();
    expect(await again.answer("recall")).toEqual({ message_ids: [ID] });
    await again.settle(ID, { kind: "unknown" });
    expect(((await again.answer("send")) as SendRequest).message_id).toBe(ID);
    await again.settle(ID, acknowledged(ID, "hello"));
    expect(await sending).toMatchObject({ ok: true, value: { message_id: ID } });
  });

  it("does not lose a key that was created before it: only the activity log lacks it", async () => {
    const { connection } = await TestConnection.connected();
    await breaksAfter(connection, /INTO act /);
    const created = await connection.ask("keys.create", { name: "ERP", prefix: "svc_1", hash: "h", scopes: null });
    expect(created).toMatchObject({ ok: true, value: { name: "ERP" } });
  });
});

describe("an object whose disk is full", () => {
  it("refuses sends as unavailable and answers reads, and loses nothing", async () => {
    const { connection, session } = await TestConnection.connected();
    await full(connection);
    const keyed = { idempotencyKey: "order-7", fingerprint: "first" };
    expect(await connection.send("first", {}, keyed)).toEqual({ ok: false, code: "unavailable" });
    expect(await connection.send("first", { message_id: ID })).toEqual({ ok: false, code: "unavailable" });
    expect(await connection.ask("messages.list", ALL_MESSAGES)).toMatchObject({ ok: true });
    expect(session.commands).toEqual([]);
    vi.restoreAllMocks();
    const again = connection.send("first", {}, keyed);
    const { message_id } = (await session.answer("send")) as SendRequest;
    await session.settle(message_id, acknowledged(message_id, "first"));
    expect(await again).toMatchObject({ ok: true, value: { message_id } });
  });

  it("keeps a send whose acknowledgement it cannot store, so that a retry does not send it twice", async () => {
    const { connection, session } = await TestConnection.connected();
    const keyed = { idempotencyKey: "order-7", fingerprint: "first" };
    const sending = connection.send("first", {}, keyed);
    const { message_id } = (await session.answer("send")) as SendRequest;
    await full(connection);
    session.put([{ type: "send.settled", message_id, outcome: acknowledged(message_id, "first") }]);
    await session.frames.closed;
    vi.restoreAllMocks();
    // The bridge repeats its unconfirmed commit.
    const again = await session.redial();
    await again.answer("recall");
    await again.settle(message_id, acknowledged(message_id, "first"));
    expect(await sending).toMatchObject({ ok: true, value: { message_id } });
    expect(await connection.send("first", {}, keyed)).toMatchObject({ ok: true, value: { message_id }, replayed: true });
    expect(again.commands).toEqual([]);
  });
});

describe("a send whose bridge and caller are gone", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
  });
  const read = async (connection: TestConnection) => {
    const got = await connection.ask("messages.get", { message_id: ID, chat_id: null });
    return got.ok ? [got.value.status, got.value.failure?.code ?? null] : got.code;
  };
  const unread = ({ deliveries }: Receiver) => deliveries.filter(({ type }) => type === "message.status");
  const receipt = (status: "delivered" | "read"): NetworkEvent => ({
    type: "message.status",
    chat_id: "5511900000002@c.us",
    message_id: ID,
    status,
    participant: null,
    timestamp: Math.floor(Date.now() / 1000),
  });

  /** Skips earlier placements of the session, whose dials get no ticket. */
  async function attached(connection: TestConnection, bridge: FakeBridge): Promise<FakeSession> {
    for (;;) {
      const session = await bridge.open(connection.uuid);
      if (session.ticket !== "") return session;
    }
  }

  /** The send's object, its bridge and its waiting caller are killed during the send. */
  async function lost(written: boolean) {
    const { connection, bridge, session, sending } = await dispatched();
    if (written) await session.commit([], [SENT_ROW]);
    const receiver = await Receiver.of(connection);
    const broken = sending.catch((error: Error) => error.message);
    await connection.crash();
    expect(await broken).toBe(CRASH);
    await connection.stub.bridgeLost(session.generation);
    return { connection, bridge, receiver };
  }

  it("is over at the send's own deadline when it certainly did not leave, and may be sent again", async () => {
    const { connection, bridge, receiver } = await lost(false);
    expect(await read(connection)).toEqual(["pending", null]);
    await connection.after(10_000);
    expect((await receiver.next("message.status")).data).toMatchObject({
      message_id: ID,
      status: "failed",
      error: { codigo: "indisponivel" },
    });
    expect(await read(connection)).toEqual(["failed", "unavailable"]);
    const next = await attached(connection, bridge);
    await next.commit([event.open()]);
    const again = connection.send("hello", { message_id: ID });
    await next.answer("send");
    await next.settle(ID, acknowledged(ID, "hello"));
    expect(await again).toMatchObject({ ok: true });
    expect(await read(connection)).toEqual(["sent", null]);
  });

  it("is reported as failed once after an hour if it may have left, and is never sent again by itself", async () => {
    const { connection, bridge, receiver } = await lost(true);
    await connection.after(HOUR_MS - 1);
    expect([await read(connection), unread(receiver)]).toEqual([["pending", null], []]);
    await connection.after(1);
    expect((await receiver.next("message.status")).data).toMatchObject({
      message_id: ID,
      status: "failed",
      error: { codigo: "resultado_incerto" },
    });
    expect(await read(connection)).toEqual(["failed", "send_outcome_unknown"]);
    expect(await connection.send("hello", { message_id: ID })).toMatchObject({ code: "send_outcome_unknown", replayed: true });
    const next = await attached(connection, bridge);
    await next.commit([event.open()]);
    await connection.after(DAY_MS);
    expect([next.commands, unread(receiver)]).toEqual([[], []]);
  });

  it.each([
    ["a receipt", (session: FakeSession) => session.commit([{ key: "late", event: receipt("delivered") }]), "delivered"],
    ["an acknowledgement", (session: FakeSession) => session.settle(ID, acknowledged(ID, "hello")), "sent"],
    [
      "the copy on another device",
      (session: FakeSession) => session.commit([{ type: "message.upsert", origin: "own_device", message: ownText(ID, "hello") }]),
      "sent",
    ],
  ])("is corrected by %s after it was reported as failed, also after a restart", async (_what, prove, status) => {
    const { connection, bridge, receiver } = await lost(true);
    await connection.after(HOUR_MS);
    expect((await receiver.next("message.status")).data).toMatchObject({ status: "failed" });
    const session = await attached(connection, bridge);
    await session.commit([event.open()]);
    await connection.crash();
    const next = await session.redial();
    await prove(next);
    expect((await receiver.next("message.sent")).data).toMatchObject({ message_id: ID });
    expect(await read(connection)).toEqual([status, null]);
    expect(await connection.send("hello", { message_id: ID })).toMatchObject({ ok: true, replayed: true });
    // A later report still advances the status.
    await next.commit([{ key: "later", event: receipt("read") }]);
    expect(await read(connection)).toEqual(["read", null]);
  });

  it("is reported as failed after an hour too if its caller was told that it is uncertain", async () => {
    const { connection, session, sending } = await dispatched();
    const receiver = await Receiver.of(connection);
    await session.commit([], [SENT_ROW]);
    await session.settle(ID, { kind: "uncertain" });
    expect(await sending).toMatchObject({ code: "send_outcome_unknown" });
    await connection.after(HOUR_MS);
    expect((await receiver.next("message.status")).data).toMatchObject({ message_id: ID, error: { codigo: "resultado_incerto" } });
    expect(await read(connection)).toEqual(["failed", "send_outcome_unknown"]);
  });

  it("is left to the deadline of a caller that resumed it", async () => {
    const { connection, receiver } = await lost(false);
    vi.useFakeTimers({ now: Date.now() + 5_000, toFake: ["Date", "setTimeout", "clearTimeout"] });
    const resumed = connection.send("hello", { message_id: ID });
    await connection.ask("instance.get", {});
    vi.setSystemTime(Date.now() + 5_000);
    await connection.alarm();
    expect(await read(connection)).toEqual(["pending", null]);
    await connection.wait(10_000);
    expect(await resumed).toMatchObject({ code: "unavailable" });
    expect(await read(connection)).toEqual(["failed", "unavailable"]);
    expect(unread(receiver)).toEqual([]);
  });
});

describe("a send without an outcome in time", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date", "setTimeout", "clearTimeout"] });
  });

  it("is uncertain after 10 s while the bridge may still send it", async () => {
    const { connection, sending } = await dispatched();
    await connection.wait(9_999);
    expect(await connection.sql("SELECT state FROM outbox")).toEqual([{ state: "asked" }]);
    await connection.wait(1);
    expect(await sending).toMatchObject({ code: "send_outcome_unknown" });
  });

  it("is reported to its caller even when nothing can be stored", async () => {
    const { connection, sending } = await dispatched();
    await full(connection);
    await connection.wait(10_000);
    expect(await sending).toMatchObject({ code: "send_outcome_unknown", details: { message_id: ID } });
    vi.restoreAllMocks();
    expect(await connection.sql("SELECT state FROM outbox")).toEqual([{ state: "asked" }]);
  });

  it("stays open when its failure is only partly stored", async () => {
    const { connection, session, sending } = await dispatched();
    session.drop();
    await connection.stub.bridgeLost(session.generation);
    await full(connection, /^\s*INSERT INTO progress/i);
    await connection.wait(10_000);
    expect(await sending).toMatchObject({ code: "send_outcome_unknown", details: { message_id: ID } });
    vi.restoreAllMocks();
    expect(await connection.sql("SELECT state FROM outbox")).toEqual([{ state: "asked" }]);
  });

  it("is certainly not sent when its session ended without storing its bytes", async () => {
    const { connection, session, sending } = await dispatched();
    session.drop();
    await connection.stub.bridgeLost(session.generation);
    await connection.wait(10_000);
    expect(await sending).toMatchObject({ code: "unavailable", retryAfter: 2 });
    expect(await connection.sql("SELECT state FROM outbox")).toEqual([{ state: "abandoned" }]);
  });

  it("is refused when it was not dispatched because no session came back", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([event.closed("lost", 428)]);
    const sending = connection.send("hello");
    await connection.ask("instance.get", {});
    await connection.wait(10_000);
    expect(await sending).toMatchObject({ code: "instance_reconnecting" });
    expect(await connection.sql("SELECT * FROM outbox")).toEqual([]);
  });

  it("has a minute when a file has to be uploaded, and longer when typing is shown first", async () => {
    const { connection, session } = await TestConnection.connected();
    const media = { token: "t", mimetype: "image/png", filename: null, size: 1 };
    const sending = connection.send("", { content: { kind: "image", media, caption: null, view_once: false }, typing_ms: 5_000 });
    await session.answer("send");
    await connection.wait(64_999);
    expect(await connection.sql("SELECT state FROM outbox")).toEqual([{ state: "asked" }]);
    await connection.wait(1);
    expect(await sending).toMatchObject({ code: "send_outcome_unknown" });
  });
});

it("a send is deleted after 7 days", async () => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
  const { connection, session, sending } = await dispatched();
  await session.settle(ID, acknowledged(ID, "hello"));
  await sending;
  await connection.after(7 * DAY_MS - 1);
  expect(await connection.sql("SELECT state FROM outbox")).toEqual([{ state: "sent" }]);
  await connection.after(2 * DAY_MS);
  expect(await connection.sql("SELECT state FROM outbox")).toEqual([]);
});
