// What a person sees of a connection as it happens: the real objects, read through the dashboard's API.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
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

/** A connection of a person who is signed in. */
async function owned() {
  const owner = await someone();
  const connection = await TestConnection.create({ owner_id: owner.user.id });
  return { owner, connection };
}

const stream = (connection: TestConnection, who: Someone) =>
  ask(`/api/dashboard/connections/${connection.record.id}/stream`, { headers: who.headers });

const watch = async (connection: TestConnection, who: Someone) => EventStream.from(await stream(connection, who));

const watched = (connection: TestConnection) =>
  runInDurableObject(connection.stub, (_object, state) => state.getWebSockets("watch").length);

describe("a watcher of a connection", () => {
  it("sees it being paired: status, each QR, connected", async () => {
    const { owner, connection } = await owned();
    const events = await watch(connection, owner);
    expect(await events.next()).toEqual({ event: "status", data: { status: "disconnected", status_reason: "created", phone: null } });
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
    expect(await events.next(), "and no status that is the same").toMatchObject({ event: "qr", data: { raw: "2@qr-2" } });
    await session.commit([event.paired()]);
    expect(await events.next()).toMatchObject({ event: "status", data: { status: "connecting", status_reason: "pairing", phone: PHONE } });
    await session.commit([event.open()]);
    expect(await events.next()).toMatchObject({ event: "event", data: { type: "instance.status", data: { status: "connected" } } });
    expect(await events.next()).toEqual({ event: "status", data: { status: "connected", status_reason: "ok", phone: PHONE } });
  });

  it("who connects late gets the current state: the valid QR, and no expired one", async () => {
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

  it("costs an idle object nothing: no alarm, and no socket left when the reader has gone", async () => {
    const { owner, connection } = await owned();
    const events = await watch(connection, owner);
    await events.next();
    expect(await watched(connection)).toBe(1);
    expect(await runInDurableObject(connection.stub, (_object, { storage }) => storage.getAlarm())).toBeNull();
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
