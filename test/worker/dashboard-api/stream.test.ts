// What a person sees of a connection as it happens: the real objects, read through the dashboard's API.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import { event, PHONE, TestConnection } from "../fakes/connection.ts";
import { theirText } from "../fakes/messages.ts";
import { type EnglishError, gateway } from "../support/gateway.ts";
import { someone, type Someone } from "../support/people.ts";

const ask = gateway();
const connections: TestConnection[] = [];
const readers: Events[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.leave();
  for (const connection of connections.splice(0)) await connection.end();
});

/** A connection of a person who is signed in. */
async function owned() {
  const owner = await someone();
  const connection = await TestConnection.create({ owner_id: owner.user.id });
  connections.push(connection);
  return { owner, connection };
}

type Told = { event: string; data: any };

class Events {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  private constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  static async of({ connection, who }: { connection: TestConnection; who: Someone }): Promise<Events> {
    const answer = await stream(connection, who);
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
      200,
      "text/event-stream",
      "no-store",
    ]);
    const events = new Events(answer.body as ReadableStream<Uint8Array>);
    readers.push(events);
    expect(await events.#block()).toBe("retry: 1000");
    return events;
  }

  /** The next event; null when the stream has ended. */
  async next(): Promise<Told | null> {
    const block = await this.#block();
    if (block === null) return null;
    const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    return { event: name ?? block, data: JSON.parse(data ?? "null") as unknown };
  }

  async leave(): Promise<void> {
    await this.#reader.cancel().catch(() => undefined);
  }

  async #block(): Promise<string | null> {
    for (let at = this.#text.indexOf("\n\n"); at < 0; at = this.#text.indexOf("\n\n")) {
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
    const [block = "", ...rest] = this.#text.split("\n\n");
    this.#text = rest.join("\n\n");
    return block;
  }
}

const stream = (connection: TestConnection, who: Someone) =>
  ask(`/api/dashboard/connections/${connection.record.id}/stream`, { headers: who.headers });

const watched = (connection: TestConnection) =>
  runInDurableObject(connection.stub, (_object, state) => state.getWebSockets("watch").length);

describe("a person who watches a connection", () => {
  it("sees it being paired: status, each QR, connected", async () => {
    const { owner, connection } = await owned();
    const events = await Events.of({ connection, who: owner });
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

  it("who comes late hears how things are: the QR that can be scanned, and none that has expired", async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
    const { owner, connection } = await owned();
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.qr(1)]);
    const late = await Events.of({ connection, who: owner });
    expect(await late.next()).toMatchObject({ event: "status", data: { status: "scan_qr" } });
    expect(await late.next()).toMatchObject({ event: "qr", data: { raw: "2@qr-1" } });
    vi.setSystemTime(Date.now() + 61_000);
    const later = await Events.of({ connection, who: owner });
    expect(await later.next()).toMatchObject({ event: "status", data: { status: "scan_qr" } });
    await session.commit([event.qr(2)]);
    expect(await later.next()).toMatchObject({ event: "qr", data: { raw: "2@qr-2" } });
  });

  it("hears messages as a webhook would, without there being one, and after the object has slept", async () => {
    const { owner, connection } = await owned();
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.open()]);
    const events = await Events.of({ connection, who: owner });
    expect(await events.next()).toMatchObject({ data: { status: "connected" } });
    await evictDurableObject(connection.stub);
    await session.commit([{ type: "message.upsert", origin: "live", message: theirText("M1", "line one\nline two") }]);
    const told = await events.next();
    expect(told).toMatchObject({
      event: "event",
      data: { type: "message.received", instance: { id: connection.record.id, phone: PHONE }, data: { text: "line one\nline two" } },
    });
    expect(told?.data).not.toHaveProperty("id");
    expect(await connection.sql("SELECT * FROM delivery")).toEqual([]);
  });
});

describe("the stream", () => {
  it("is open to whom the connection is shared with, and does not exist for others", async () => {
    const { owner, connection } = await owned();
    const [friend, stranger] = [await someone(), await someone()];
    await ask(`/api/dashboard/connections/${connection.record.id}/shares`, {
      method: "POST",
      headers: owner.headers,
      body: JSON.stringify({ email: friend.user.email, role: "viewer" }),
    });
    expect(await (await Events.of({ connection, who: friend })).next()).toMatchObject({ event: "status" });
    const refused = await stream(connection, stranger);
    expect([refused.status, ((await refused.json()) as EnglishError).error.code]).toEqual([404, "instance_not_found"]);
    expect((await ask(`/api/dashboard/connections/${connection.record.id}/stream`)).status).toBe(401);
  });

  it("costs an idle object nothing: no alarm, and nobody left when the reader has gone", async () => {
    const { owner, connection } = await owned();
    const events = await Events.of({ connection, who: owner });
    await events.next();
    expect(await watched(connection)).toBe(1);
    expect(await runInDurableObject(connection.stub, (_object, { storage }) => storage.getAlarm())).toBeNull();
    await events.leave();
    await vi.waitFor(async () => expect(await watched(connection)).toBe(0));
  });

  it("ends for the first of more than 20, and for all when the connection is removed", async () => {
    const { owner, connection } = await owned();
    const all: Events[] = [];
    for (let n = 0; n < 21; n++) all.push(await Events.of({ connection, who: owner }));
    const [first, second] = all as [Events, Events];
    expect(await first.next()).toMatchObject({ event: "status" });
    expect(await first.next()).toBeNull();
    expect(await second.next()).toMatchObject({ event: "status" });
    await connection.stub.wipe();
    const reasons: unknown[] = [];
    for (let told = await second.next(); told !== null; told = await second.next())
      reasons.push(told.data.status_reason ?? told.data.data.reason);
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
