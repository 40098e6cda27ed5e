// Live updates about a connection: the real objects, read through the dashboard's API.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { gridOf } from "@gateway/domain/spread.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import type { Env } from "#root/src/env.ts";
import { allEnded, event, PHONE, TestConnection } from "../fakes/connection.ts";
import { theirText } from "../fakes/messages.ts";
import { allLeft, EventStream } from "../support/event-stream.ts";
import { type EnglishError, gateway } from "../support/gateway.ts";
import { someone, type Someone } from "../support/people.ts";

const ask = gateway();
afterEach(async () => {
  await allLeft();
  await allEnded();
});

/** A signed-in user's connection. */
async function owned() {
  const owner = await someone();
  const connection = await TestConnection.create({ owner_id: owner.user.id });
  return { owner, connection };
}

const stream = (connection: TestConnection, who: Someone, query = "", headers: Record<string, string> = {}) =>
  ask(`/api/dashboard/connections/${connection.record.id}/stream${query}`, { headers: { ...who.headers, ...headers } });

const watch = async (...given: Parameters<typeof stream>) => EventStream.from(await stream(...given));

/** The first event, with the stream's start position. */
const START = { id: expect.stringMatching(/^evt_[0-9a-f]{12}_\d+$/) as string };

const received = (id: string) => ({ type: "message.upsert" as const, origin: "live" as const, message: theirText(id, id) });

const watched = (connection: TestConnection) =>
  runInDurableObject(connection.stub, (_object, state) => state.getWebSockets("watch").length);

describe("a watcher of a connection", () => {
  it("sees the pairing: status, each QR, connected", async () => {
    const { owner, connection } = await owned();
    const events = await watch(connection, owner);
    expect(await events.next()).toEqual({
      ...START,
      event: "status",
      data: { status: "disconnected", status_reason: "created", phone: null },
    });
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    expect(await events.next()).toMatchObject({ event: "status", data: { status: "connecting", status_reason: "starting" } });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.qr(1)]);
    expect(await events.next()).toMatchObject({ event: "event", data: { type: "instance.status", data: { status: "scan_qr" } } });
    expect(await events.next()).toMatchObject({ event: "status", data: { status: "scan_qr", status_reason: "waiting_scan" } });
    expect(await events.next()).toMatchObject({
      event: "qr",
      data: {
        raw: "2@qr-1",
        qr: expect.stringMatching(/^data:image\/png;base64,/) as string,
        expires_at: expect.stringMatching(/Z$/) as string,
      },
    });
    await session.commit([event.qr(2)]);
    expect(await events.next(), "an unchanged status is not repeated").toMatchObject({ event: "qr", data: { raw: "2@qr-2" } });
    await session.commit([event.paired()]);
    expect(await events.next()).toMatchObject({ event: "status", data: { status: "connecting", status_reason: "pairing", phone: PHONE } });
    await session.commit([event.open()]);
    expect(await events.next()).toMatchObject({ event: "event", data: { type: "instance.status", data: { status: "connected" } } });
    expect(await events.next()).toEqual({ event: "status", data: { status: "connected", status_reason: "ok", phone: PHONE } });
  });

  it("gets the current state if it connects late: the valid QR, and no expired one", async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
    const { owner, connection } = await owned();
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.qr(1)]);
    const late = await watch(connection, owner);
    expect(await late.next()).toMatchObject({ event: "status", data: { status: "scan_qr" } });
    expect(await late.next()).toMatchObject({ event: "qr", data: { raw: "2@qr-1" } });
    vi.setSystemTime(Date.now() + 61_000);
    const later = await watch(connection, owner);
    expect(await later.next()).toMatchObject({ event: "status", data: { status: "scan_qr" } });
    await session.commit([event.qr(2)]);
    expect(await later.next()).toMatchObject({ event: "qr", data: { raw: "2@qr-2" } });
  });

  it("is told to read the chats again when the phone changes one", async () => {
    const { owner, connection } = await owned();
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.open(), received("A")]);
    const events = await watch(connection, owner);
    expect(await events.next()).toMatchObject({ event: "status" });
    const chat_id = theirText("A", "A").chat_id;
    for (const change of [
      { type: "chat.updated", chat_id, pinned: true },
      { type: "message.starred", chat_id, message_id: "A", starred: true },
      { type: "chat.deleted", chat_id },
    ] as const) {
      await session.commit([change]);
      expect(await events.next()).toEqual({ event: "changed", data: { part: "chats" } });
    }
  });

  it("gets messages as a webhook would, without one, and after the object hibernated", async () => {
    const { owner, connection } = await owned();
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.open()]);
    const events = await watch(connection, owner);
    expect(await events.next()).toMatchObject({ data: { status: "connected" } });
    await evictDurableObject(connection.stub);
    await session.commit([{ type: "message.upsert", origin: "live", message: theirText("M1", "line one\nline two") }]);
    const streamed = await events.next();
    expect(streamed).toMatchObject({
      event: "event",
      data: { type: "message.received", instance: { id: connection.record.id, phone: PHONE }, data: { text: "line one\nline two" } },
    });
    expect(streamed?.data).not.toHaveProperty("id");
    expect(await connection.sql("SELECT * FROM delivery")).toEqual([]);
  });
});

describe("the history sync", () => {
  const progress = (state: "running" | "complete", percent: number | null) => ({
    type: "session.history" as const,
    timestamp: Math.floor(Date.now() / 1000),
    state,
    progress: percent,
  });

  it("is reported as it proceeds, also to late watchers", async () => {
    const { owner, connection } = await owned();
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.open()]);
    const events = await watch(connection, owner);
    expect(await events.next()).toMatchObject({ data: { status: "connected", status_reason: "ok" } });
    await session.commit([progress("running", 20)]);
    expect(await events.next()).toMatchObject({ event: "status", data: { status_reason: "syncing" } });
    expect(await events.next()).toEqual({ event: "history", data: { state: "running", progress: 20 } });
    await session.commit([progress("running", 60)]);
    expect(await events.next(), "an unchanged status is not repeated").toEqual({
      event: "history",
      data: { state: "running", progress: 60 },
    });
    const late = await watch(connection, owner);
    expect(await late.next()).toMatchObject({ event: "status" });
    expect(await late.next()).toEqual({ event: "history", data: { state: "running", progress: 60 } });
    await session.commit([progress("complete", 100)]);
    expect(await late.next()).toMatchObject({ event: "status", data: { status_reason: "ok" } });
    expect(await late.next()).toEqual({ event: "history", data: { state: "complete", progress: 100 } });
  });
});

describe("a watcher that comes back", () => {
  async function connected() {
    const { owner, connection } = await owned();
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.open()]);
    return { owner, connection, session };
  }
  const textOf = async (events: EventStream) => (await events.next())?.data.data.text as string;

  it("gets missed events, by the browser's header or by the address", async () => {
    const { owner, connection, session } = await connected();
    const first = await watch(connection, owner);
    await first.next();
    await session.commit([received("A"), received("B")]);
    const last = await first.next();
    expect(last?.id).toMatch(/^evt_[0-9a-f]{12}_\d+$/);
    await first.leave();
    await session.commit([received("C")]);
    for (const [query, headers] of [
      ["", { "Last-Event-ID": last?.id ?? "" }],
      [`?last_event_id=${last?.id ?? ""}`, {}],
    ] as const) {
      const again = await watch(connection, owner, query, headers);
      expect(await again.next()).toMatchObject({ event: "status" });
      expect([await textOf(again), await textOf(again)]).toEqual(["B", "C"]);
      await session.commit([received("D")]);
      expect(await textOf(again)).toBe("D");
      await session.commit([received("E")]);
      await again.leave();
    }
  });

  it("continues after its start if nothing had happened yet", async () => {
    const { owner, connection, session } = await connected();
    const first = await watch(connection, owner);
    const start = await first.next();
    expect(start).toMatchObject(START);
    await first.leave();
    await session.commit([received("A")]);
    const again = await watch(connection, owner, `?last_event_id=${start?.id ?? ""}`);
    await again.next();
    expect(await textOf(again)).toBe("A");
    const now = await watch(connection, owner);
    const quiet = await watch(connection, owner, `?last_event_id=${(await now.next())?.id ?? ""}`);
    await quiet.next();
    await session.commit([received("B")]);
    expect(await textOf(quiet), "no gap is claimed where there is none").toBe("B");
  });

  it("gets no gap marker from an object that has hibernated, unless an event was missed", async () => {
    const { owner, connection, session } = await connected();
    const first = await watch(connection, owner);
    await first.next();
    await session.commit([received("A")]);
    const last = (await first.next())?.id ?? "";
    await first.leave();
    await evictDurableObject(connection.stub);
    const again = await watch(connection, owner, `?last_event_id=${last}`);
    await again.next();
    await session.commit([received("B")]);
    expect(await textOf(again)).toBe("B");
    await again.leave();
    await evictDurableObject(connection.stub);
    const late = await watch(connection, owner, `?last_event_id=${last}`);
    await late.next();
    expect(await late.next()).toEqual({ event: "reset", data: {} });
  });

  it("gets a gap marker if the missed events are unknown", async () => {
    const { owner, connection, session } = await connected();
    const first = await watch(connection, owner);
    const start = await first.next();
    for (let n = 0; n < 101; n++) await session.commit([received(`M${n}`)]);
    for (const after of [start?.id ?? "", "evt_000000000000_1", "nonsense"]) {
      const again = await watch(connection, owner, `?last_event_id=${after}`);
      expect(await again.next()).toMatchObject({ event: "status" });
      expect(await again.next()).toEqual({ event: "reset", data: {} });
    }
  });
});

describe("the stream", () => {
  it("is open to users the connection is shared with, and 404 for others", async () => {
    const { owner, connection } = await owned();
    const [friend, stranger] = [await someone(), await someone()];
    await ask(`/api/dashboard/connections/${connection.record.id}/shares`, {
      method: "POST",
      headers: owner.headers,
      body: JSON.stringify({ email: friend.user.email, role: "viewer" }),
    });
    expect(await (await watch(connection, friend)).next()).toMatchObject({ event: "status" });
    const refused = await stream(connection, stranger);
    expect([refused.status, ((await refused.json()) as EnglishError).error.code]).toEqual([404, "instance_not_found"]);
    expect((await ask(`/api/dashboard/connections/${connection.record.id}/stream`)).status).toBe(401);
  });

  it("costs an idle object nothing: no alarm, and no socket left after the reader has gone", async () => {
    const { owner, connection } = await owned();
    const events = await watch(connection, owner);
    await events.next();
    expect(await watched(connection)).toBe(1);
    // The object schedules nothing except the daily D1 read that every object schedules.
    const [reread] = await connection.sql<{ at: number }>("SELECT at FROM reread");
    const daily = gridOf(connection.uuid, DAY_MS)((reread?.at ?? 0) + 1);
    expect(await runInDurableObject(connection.stub, (_object, { storage }) => storage.getAlarm())).toBe(daily);
    await events.leave();
    await vi.waitFor(async () => expect(await watched(connection)).toBe(0));
  });

  it("ends for the first of more than 20, and for all when the connection is removed", async () => {
    const { owner, connection } = await owned();
    const all: EventStream[] = [];
    for (let n = 0; n < 21; n++) all.push(await watch(connection, owner));
    const [first, second] = all as [EventStream, EventStream];
    expect(await first.next()).toMatchObject({ event: "status" });
    expect(await first.next()).toBeNull();
    expect(await second.next()).toMatchObject({ event: "status" });
    await connection.stub.wipe();
    const reasons: unknown[] = [];
    for (let event = await second.next(); event !== null; event = await second.next())
      reasons.push(event.data.status_reason ?? event.data.data.reason);
    expect(new Set(reasons)).toEqual(new Set(["logged_out"]));
  });

  it("is unavailable while the object cannot be reached", async () => {
    const { owner, connection } = await owned();
    const fetch = () => Promise.reject(Object.assign(new Error("moved"), { retryable: true }));
    const elsewhere = gateway({ CONNECTION: { getByName: () => ({ fetch }) } as unknown as Env["CONNECTION"] });
    const answer = await elsewhere(`/api/dashboard/connections/${connection.record.id}/stream`, { headers: owner.headers });
    expect([answer.status, ((await answer.json()) as EnglishError).error.code]).toEqual([503, "unavailable"]);
  });
});
