// A session stores its commits in order, once, and only while it is the newest.
import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SESSION_TICKET_HEADER } from "@gateway/protocol/internal-http.ts";
import { ACCOUNT_STYLE } from "@gateway/domain/webhooks/style/account.ts";
import { CONNECTION_STYLE } from "@gateway/domain/webhooks/style/connection.ts";
import { SESSION_CLOSE, type ToBridge } from "@gateway/protocol/session-socket.ts";
import { bridgeHeaders, FakeSession } from "../fakes/bridge.ts";
import { Frames } from "../fakes/frames.ts";
import { StateRows } from "#root/durable-objects/connection/session/state-rows.ts";
import { allEnded, event, TestConnection } from "../fakes/connection.ts";
import { theirText } from "../fakes/messages.ts";
import { endpoint } from "../delivery/delivery-connection.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
});

describe("a session", () => {
  it("loads, after a restart, what it stored", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    await session.commit(
      [],
      [
        ["creds|me", "AAAA"],
        ["session|1", "BBBB"],
        ["session|2", "CCCC"],
      ],
    );
    await session.commit(
      [],
      [
        ["session|1", "DDDD"],
        ["session|2", null],
      ],
    );
    await connection.ask("instance.restart", {});
    const next = await bridge.open(connection.uuid);
    expect(Object.fromEntries(next.rows)).toEqual({ "creds|me": "AAAA", "session|1": "DDDD" });
    expect(next.stateKey).toBe(session.stateKey);
    expect(atob(next.stateKey)).toHaveLength(32);
    expect(next.storedThrough).toBe(0);
  });

  it("reads cold rows one by one, never with its load", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    await session.commit(
      [],
      [
        ["sent|A", "c2VudA=="],
        ["plain|x", "cGxhaW4="],
        ["poll|p", "cG9sbA=="],
        ["creds|me", "AAAA"],
      ],
    );
    session.say({ type: "fetch", id: 7, keys: ["sent|A", "plain|x", "creds|me", "sent|none"] });
    const answer = await session.frames.next("rows");
    expect(answer).toEqual({
      type: "rows",
      id: 7,
      rows: [
        ["sent|A", "c2VudA=="],
        ["plain|x", "cGxhaW4="],
        ["creds|me", "AAAA"],
      ],
    });
    await connection.ask("instance.restart", {});
    const next = await bridge.open(connection.uuid);
    expect([...next.rows.keys()]).toEqual(["creds|me"]);
  });

  it("loads in slices, whatever the size of a row", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    const value = (n: number, length: number) => String(n).repeat(length).slice(0, length);
    const rows = Array.from({ length: 40 }, (_, n): [string, string] => [`pre-key|${n}`, value(n, 30_000)]);
    const huge: [string, string] = ["app-state-sync-version|regular", value(7, 3_500_000)];
    await session.commit([], [...rows, huge]);
    await connection.ask("instance.restart", {});
    const next = await bridge.open(connection.uuid);
    expect(Object.fromEntries(next.rows)).toEqual(Object.fromEntries([...rows, huge]));
    await next.commit([], [[huge[0], "c21hbGw="]]);
    expect(await connection.sql("SELECT COUNT(*) AS n FROM row_part")).toEqual([{ n: 0 }]);
  });

  it("gets the same answer, and nothing is applied again, when it repeats a commit", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([], [["creds|me", "AAAA"]]);
    const { seq } = session;
    await session.commit([], [["creds|me", "BBBB"]]);
    session.say({ type: "commit", seq, rows: [["creds|me", "AAAA"]], events: [] });
    expect(await session.frames.next("stored")).toEqual({ type: "stored", seq });
    expect(await connection.sql("SELECT value FROM state_row")).toEqual([{ value: "BBBB" }]);
  });

  it("continues where it was after a reconnect", async () => {
    const { session } = await TestConnection.connected();
    await session.commit([], [["creds|me", "AAAA"]]);
    session.drop();
    const again = await session.redial();
    expect(again.storedThrough).toBe(session.seq);
    expect(again.frames.rest).toEqual([]);
    await again.commit([], [["creds|me", "BBBB"]]);
  });

  it("is closed when a commit is missing", async () => {
    const { session } = await TestConnection.connected();
    session.seq += 1;
    session.put([]);
    expect(await session.frames.closed).toMatchObject({ code: SESSION_CLOSE.badFrame });
  });

  it("is closed when it sends a frame before its hello, or something that is no frame", async () => {
    for (const text of ["{}", "nonsense", JSON.stringify({ type: "commit", seq: "1", rows: [], events: [] })]) {
      const { session } = await TestConnection.connected();
      session.frames.send(text);
      expect(await session.frames.closed).toMatchObject({ code: SESSION_CLOSE.badFrame });
    }
  });

  it("loses only the event that does not match the contract", async () => {
    const { connection, session } = await TestConnection.connected();
    const readable = {
      key: "reaction:1",
      event: { type: "message.starred", chat_id: "5511900000002@c.us", message_id: "A", starred: true },
    };
    const key = "message:5511900000002@c.us:in:A";
    const strange = { key, event: { type: "message.starred", chat_id: "not a chat", message_id: "A", starred: true } };
    const lines = vi.spyOn(console, "log");
    session.say({ type: "commit", seq: ++session.seq, rows: [["creds|me", "AAAA"]], events: [strange, readable] } as never);
    await session.frames.next("stored");
    // The event's key contains a phone number, which must not be logged.
    const line = { event: "session.event_unreadable", connection: connection.uuid, type: "message.starred", field: "event.chat_id" };
    expect(lines.mock.calls.filter(([text]) => String(text).includes("event_unreadable"))).toEqual([[JSON.stringify(line)]]);
    lines.mockRestore();
    expect(await connection.sql("SELECT key FROM dedupe_key")).toEqual([{ key: "reaction:1" }]);
    expect(await connection.sql("SELECT value FROM state_row")).toEqual([{ value: "AAAA" }]);
  });

  it("continues on the same socket after the object was evicted", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([], [["creds|me", "AAAA"]]);
    await evictDurableObject(connection.stub);
    await session.commit([], [["creds|me", "BBBB"]]);
    expect(await connection.status()).toBe("connected/ok");
  });
});

describe("a ticket", () => {
  it("is valid for one connect", async () => {
    const connection = await TestConnection.create();
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const { placement, ticket } = await bridge.control.next("open", (frame) => frame.placement.connection === connection.uuid);
    await FakeSession.dial(connection.uuid, placement.generation, ticket, bridge.id);
    const second = await FakeSession.dial(connection.uuid, placement.generation, ticket, bridge.id);
    expect(await second.frames.closed).toMatchObject({ code: SESSION_CLOSE.fenced });
  });

  it.each([
    ["that its bridge gave up", true],
    ["that is still open", false],
  ])("is not used up by an upgrade without a hello, %s; the first hello is the session's", async (_which, givesUp) => {
    const connection = await TestConnection.create();
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const { placement, ticket } = await bridge.control.next("open", (frame) => frame.placement.connection === connection.uuid);
    const headers = { upgrade: "websocket", ...bridgeHeaders(bridge.id), [SESSION_TICKET_HEADER]: ticket };
    const { webSocket } = await connection.stub.fetch("https://gateway/", { headers });
    if (webSocket === null) throw new Error("no socket");
    const first = new Frames<ToBridge>(webSocket);
    if (givesUp) webSocket.close(1000, "too slow");
    const session = await FakeSession.dial(connection.uuid, placement.generation, ticket, bridge.id);
    await session.commit([event.paired(), event.open()]);
    if (!givesUp) await first.closed;
    expect(first.rest).toEqual([]);
    expect(await connection.status()).toBe("connected/ok");
    const late = await FakeSession.dial(connection.uuid, placement.generation, ticket, bridge.id);
    expect(await late.frames.closed).toMatchObject({ code: SESSION_CLOSE.fenced });
  });

  it("is fenced if it is of an older generation, unknown or missing", async () => {
    const { connection, session } = await TestConnection.connected();
    await connection.ask("instance.restart", {});
    for (const ticket of [session.ticket, "0".repeat(64), "", "' OR 1"]) {
      const refused = await FakeSession.dial(connection.uuid, session.generation, ticket, session.bridge);
      expect(await refused.frames.closed).toMatchObject({ code: SESSION_CLOSE.fenced });
    }
  });

  it("is stored as a hash only", async () => {
    const { connection, session } = await TestConnection.connected();
    const [row] = await connection.sql<{ hash: string }>("SELECT hash FROM ticket");
    expect(row?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(session.ticket).not.toContain(row?.hash);
  });
});

describe("an older session", () => {
  it("is fenced as soon as a newer one is welcomed, and cannot reconnect", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    session.stubborn = true;
    await session.commit([], [["creds|me", "AAAA"]]);
    await connection.stub.bridgeLost(session.generation);
    const newer = await bridge.open(connection.uuid);
    expect(newer.generation).toBe(session.generation + 1);
    expect(await session.frames.closed).toMatchObject({ code: SESSION_CLOSE.fenced });
    expect(newer.rows.get("creds|me")).toBe("AAAA");
    const redialled = await session.redial();
    expect(await redialled.frames.closed).toMatchObject({ code: SESSION_CLOSE.fenced });
  });

  it("may still store its last commits after it was asked to stop", async () => {
    const { connection, session } = await TestConnection.connected();
    session.stubborn = true;
    await connection.ask("instance.disconnect", {});
    expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: false });
    await session.commit([], [["creds|me", "LAST"]]);
    expect(await connection.sql("SELECT value FROM state_row")).toEqual([{ value: "LAST" }]);
    // The session's events no longer count.
    await session.commit([event.closed("lost", 428)]);
    expect(await connection.status()).toBe("disconnected/manual");
  });

  it("may report to its end after it was logged out, but stores no rows", async () => {
    const { connection, session } = await TestConnection.connected();
    session.stubborn = true;
    await session.commit([], [["creds|me", "AAAA"]]);
    await connection.ask("instance.logout", {});
    expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: true });
    await session.commit([], [["creds|me", "LATE"]]);
    expect(await connection.sql("SELECT COUNT(*) AS n FROM state_row")).toEqual([{ n: 0 }]);
    expect(await connection.status()).toBe("disconnected/logged_out");
  });
});

it("an event that cannot be rendered for one API is delivered to the webhooks of the other one", async () => {
  const { connection, session } = await TestConnection.connected();
  const [account, own] = ["https://hooks.example.com/account", "https://hooks.example.com/own"];
  const arrived: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const { data } = JSON.parse(new TextDecoder().decode(init?.body as Uint8Array)) as { data: { text: string } };
    arrived.push(`${input as string} ${data.text}`);
    return new Response(null, { status: 204 });
  });
  const envelope = CONNECTION_STYLE.envelope.bind(CONNECTION_STYLE);
  vi.spyOn(CONNECTION_STYLE, "envelope").mockImplementation((...rendered) => {
    if (JSON.stringify(rendered[2]).includes("unspeakable")) throw new TypeError("cannot be rendered");
    return envelope(...rendered);
  });
  const lines = vi.spyOn(console, "log");
  expect(await connection.ask("webhook.put", { url: own, events: ["message.received"] })).toMatchObject({ ok: true });
  await connection.stub.accountEndpointsChanged([endpoint({ url: account })], 1);
  const texts = ["first", "unspeakable", "last"];
  await session.commit(texts.map((text, at) => ({ type: "message.upsert", message: theirText(`M${at}`, text), origin: "live" })));
  const expected = [...texts.map((text) => `${account} ${text}`), `${own} first`, `${own} last`];
  await vi.waitFor(() => expect(arrived.toSorted()).toEqual(expected.toSorted()), { timeout: 60_000 });
  expect(await connection.sql("SELECT text FROM messages ORDER BY no")).toEqual(texts.map((text) => ({ text })));
  const logged = lines.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("event_failed"));
  expect(logged.map((line) => JSON.parse(line) as object)).toMatchObject([
    { event: "session.event_failed", connection: connection.uuid, type: "message.received", receiver: "deliveries", surface: "connection" },
  ]);
  expect(logged.join()).not.toContain("unspeakable");
});

it("an event that cannot be rendered for either API is logged once for each", async () => {
  const { connection, session } = await TestConnection.connected();
  for (const style of [ACCOUNT_STYLE, CONNECTION_STYLE]) {
    vi.spyOn(style, "envelope").mockImplementation(() => {
      throw new TypeError("cannot be rendered");
    });
  }
  const lines = vi.spyOn(console, "log");
  await connection.ask("webhook.put", { url: "https://hooks.example.com/own", events: ["message.received"] });
  await connection.stub.accountEndpointsChanged([endpoint({ url: "https://hooks.example.com/account" })], 1);
  await session.commit([{ type: "message.upsert", message: theirText("M1", "one"), origin: "live" }]);
  const logged = lines.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("event_failed"));
  expect(logged.map((line) => (JSON.parse(line) as { surface: string }).surface).toSorted()).toEqual(["account", "connection"]);
});

it("every connection has a separate key", async () => {
  const [one, other] = [await TestConnection.connected(), await TestConnection.connected()];
  expect(one.session.stateKey).not.toBe(other.session.stateKey);
  expect(one.session.stateKey).not.toContain(env.STATE_SECRET);
});

describe("cold rows", () => {
  const left = (connection: TestConnection) =>
    runInDurableObject(connection.stub, (_object, { storage }) =>
      new StateRows(storage.sql).fetch(["plain|x", "poll|p", "sent|A"]).map(([key]) => key),
    );

  it("expire: plain after a day, sent after 7, poll after 90", async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1, 0, 30), toFake: ["Date"] });
    const { connection, session } = await TestConnection.connected();
    await session.commit(
      [],
      [
        ["sent|A", "AA"],
        ["plain|x", "AA"],
        ["poll|p", "AA"],
        ["creds|me", "AA"],
      ],
    );
    // Disconnects first: the pool would expire a bridge silent for days, and place its session again every minute.
    await connection.ask("instance.disconnect", {});
    await connection.after(DAY_MS - 1);
    expect(await left(connection)).toHaveLength(3);
    await connection.after(3_600_000);
    expect(await left(connection)).toEqual(["poll|p", "sent|A"]);
    await connection.after(6 * DAY_MS);
    expect(await left(connection)).toEqual(["poll|p"]);
    await connection.after(83 * DAY_MS);
    expect(await left(connection)).toEqual([]);
    expect(await connection.sql("SELECT key FROM state_row")).toEqual([{ key: "creds|me" }]);
  });
});
