// Durable listeners on both APIs (docs/use/listeners.md, "Limits and gaps").
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PLACE_STEP } from "@gateway/protocol/stream-sockets.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { event } from "../fakes/connection.ts";
import { theirText } from "../fakes/messages.ts";
import { allDisconnected, afterMs, connectedInstance, CustomerServer } from "../support/account-session.ts";
import { callsWith, codeOf, holder, keyOf } from "../support/accounts.ts";
import { CRASH } from "../support/crash.ts";
import { allLeft, EventStream } from "../support/event-stream.ts";
import { freshAddress, gateway } from "../support/gateway.ts";

afterEach(async () => {
  await allLeft();
  await allDisconnected();
});

const message = (id: string) => ({ type: "message.upsert" as const, message: theirText(id, id), origin: "live" as const });

/** An instance with a listener for received messages, and its stream by the last event's number. */
async function listener(events: readonly string[] = ["message.received"]) {
  const account = await holder();
  const { id, session } = await connectedInstance(account.call);
  const made = await account.call("POST", `/instances/${id}/listeners`, { name: "laptop", events });
  expect(made.status).toBe(201);
  const path = `/instances/${id}/listeners/${made.body.data.id}`;
  return {
    ...account,
    id,
    session,
    listener: made.body.data,
    path,
    stream: (after?: string) => open(`/api${path}/events`, account.key, after),
  };
}

async function open(path: string, key: string, after?: string): Promise<EventStream> {
  const headers = { "x-api-key": key, "cf-connecting-ip": freshAddress(), ...(after === undefined ? {} : { "Last-Event-ID": after }) };
  return EventStream.from(await gateway()(path, { headers }));
}

/** The event's number among those of its listener. */
const numberOf = (place: string | undefined): number => Math.floor(Number(place) / PLACE_STEP);
const messageId = async (stream: EventStream): Promise<[number, unknown]> => {
  const next = await stream.next();
  return [numberOf(next?.id), next?.data.data?.message_id ?? next?.data];
};
const stored = (id: string): Promise<number> =>
  runInDurableObject(
    env.CONNECTION.getByName(id),
    (_object, { storage }) => storage.sql.exec<{ rows: number }>("SELECT count(*) AS rows FROM listener_event").one().rows,
  );

describe("a listener", () => {
  it("receives the same bodies as a webhook for every event since its creation, even from before its stream opens", async () => {
    const server = new CustomerServer();
    const { call, session, stream } = await listener();
    await call("POST", "/webhooks", { url: "https://hooks.example.net/", events: ["message.received"] });
    await session.commit([message("A")]);
    const [delivered] = await server.deliveries(1);
    const events = await stream();
    const first = await events.next();
    expect([numberOf(first?.id), first?.event]).toEqual([1, "message.received"]);
    expect({ ...first?.data, id: null }).toEqual({ ...JSON.parse(delivered?.body ?? "{}"), id: null });
    await session.commit([message("B")]);
    expect(await messageId(events)).toEqual([2, "B"]);
  });

  it("continues behind Last-Event-ID, and repeats what was not confirmed, with the same ids", async () => {
    const { session, stream } = await listener();
    await session.commit([message("A"), message("B"), message("C")]);
    const first = await stream();
    const [a, b] = [await first.next(), await first.next()];
    await first.leave();
    const second = await stream(a?.id);
    expect(await second.next()).toEqual(b);
    expect(await messageId(second)).toEqual([3, "C"]);
  });

  it("keeps its events through a crash of its object", async () => {
    const { id, session, stream } = await listener();
    await session.commit([message("A"), message("B")]);
    await runInDurableObject(env.CONNECTION.getByName(id), (_object, state) => state.abort(CRASH)).catch(() => undefined);
    await session.redial();
    const events = await stream();
    expect([await messageId(events), await messageId(events)]).toEqual([
      [1, "A"],
      [2, "B"],
    ]);
  });

  it("survives the hibernation of its object with its stream open", async () => {
    const { id, session, stream } = await listener();
    await session.commit([message("A")]);
    const events = await stream();
    expect(await messageId(events)).toEqual([1, "A"]);
    await evictDurableObject(env.CONNECTION.getByName(id));
    await session.commit([message("B")]);
    expect(await messageId(events)).toEqual([2, "B"]);
  });

  it("deletes events when they are received", async () => {
    const { id, session, stream } = await listener();
    await session.commit([message("A"), message("B"), message("C")]);
    const first = await stream();
    const [, , last] = [await first.next(), await first.next(), await first.next()];
    await first.leave();
    const events = await stream(last?.id);
    await session.commit([message("D")]);
    expect(await messageId(events)).toEqual([4, "D"]);
    expect(await stored(id), "the newest received one, and the new one").toBe(2);
  });

  it("reads a backlog of several batches in order", async () => {
    const { session, stream } = await listener();
    const ids = Array.from({ length: 230 }, (_, n) => `M${n}`);
    await session.commit(ids.map(message));
    const events = await stream();
    for (const [n, id] of ids.entries()) expect(await messageId(events)).toEqual([n + 1, id]);
  });

  it("does not disturb another one of the same key, and closes only its own earlier stream", async () => {
    const { call, id, key, session, stream } = await listener();
    const other = await call("POST", `/instances/${id}/listeners`, { name: "ci", events: ["message.received"] });
    const [first, theirs] = [await stream(), await open(`/api/instances/${id}/listeners/${other.body.data.id}/events`, key)];
    const second = await stream();
    expect(await first.next()).toBeNull();
    await session.commit([message("A")]);
    expect([await messageId(second), await messageId(theirs)]).toEqual([
      [1, "A"],
      [1, "A"],
    ]);
  });

  it("ends fifteen minutes after its stream, and stores nothing more", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { id, session, stream, call, path, key } = await listener();
    await (await stream()).leave();
    await vi.waitFor(async () => {
      const left = await runInDurableObject(
        env.CONNECTION.getByName(id),
        (_object, { storage }) => storage.sql.exec<{ at: number }>("SELECT expires_at AS at FROM listener").one().at - Date.now(),
      );
      expect(left).toBeLessThanOrEqual(15 * MINUTE_MS);
    });
    await afterMs(id, 16 * MINUTE_MS);
    await session.commit([message("A")]);
    expect(await stored(id)).toBe(0);
    expect(codeOf(await callsWith({ "x-api-key": key })("GET", `${path}/events`))).toEqual([404, "listener_not_found"]);
    expect(codeOf(await call("DELETE", path))).toEqual([404, "listener_not_found"]);
  });

  it("belongs to the key that created it, and can be deleted by it", async () => {
    const { who, call, path, id, session } = await listener();
    const other = callsWith({ "x-api-key": (await keyOf(who)).key });
    expect(codeOf(await other("GET", `${path}/events`))).toEqual([404, "listener_not_found"]);
    expect(codeOf(await other("DELETE", path))).toEqual([404, "listener_not_found"]);
    expect((await call("DELETE", path)).status).toBe(200);
    await session.commit([message("A")]);
    expect(await stored(id)).toBe(0);
  });

  it("keeps its stream when a monitor asks for the stream's head", async () => {
    const { key, path, session, stream } = await listener();
    const reading = await stream();
    expect((await gateway()(`/api${path}/events`, { method: "HEAD", headers: { "x-api-key": key } })).status).toBe(405);
    await session.commit([message("A")]);
    expect(await messageId(reading)).toEqual([1, "A"]);
  });

  it("is replaced by a new one if nobody reads it; a sixth is refused while five are read", async () => {
    const { call, id, key, path } = await listener();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const made = await call("POST", `/instances/${id}/listeners`, { name: `n${n}` });
      ids.push(made.body.data.id as string);
    }
    expect(codeOf(await call("GET", `${path}/events`))).toEqual([404, "listener_not_found"]);
    for (const one of ids) await open(`/api/instances/${id}/listeners/${one}/events`, key);
    expect(codeOf(await call("POST", `/instances/${id}/listeners`, { name: "sixth" }))).toEqual([409, "listener_limit"]);
  });

  it("of a guest gives way to the owner's, unread ones first, but not to another guest's", async () => {
    const { call, id, key, path, session } = await listener();
    const [guest, other] = [await holder(), await holder()];
    for (const { who } of [guest, other]) {
      const share = "INSERT INTO share (connection_id, user_id, role, created_at) SELECT id, ?, 'viewer', 0 FROM connection WHERE uuid = ?";
      await env.DB.prepare(share).bind(who.user.id, id).run();
    }
    await call("DELETE", path);
    const listeners = `/instances/${id}/listeners`;
    const made = (by: typeof call) => by("POST", listeners, { name: "one", events: ["message.received"] });
    const streams: EventStream[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { body } = await made(guest.call);
      if (n > 0) streams.push(await open(`/api${listeners}/${body.data.id}/events`, guest.key));
    }
    expect(codeOf(await made(other.call))).toEqual([409, "listener_limit"]);
    const own: EventStream[] = [];
    for (const gone of ["the unread one", "the oldest one"]) {
      const { status, body } = await made(call);
      expect(status, gone).toBe(201);
      own.push(await open(`/api${listeners}/${body.data.id}/events`, key));
    }
    expect(await streams[0]?.next()).toBeNull();
    await session.commit([message("A")]);
    for (const each of [...streams.slice(1), ...own]) expect(await messageId(each)).toEqual([1, "A"]);
  });

  it("tells its earlier stream that another one has taken over", async () => {
    const { key, path, stream } = await listener();
    const headers = { "x-api-key": key, "cf-connecting-ip": freshAddress() };
    const earlier = (await gateway()(`/api${path}/events`, { headers })).text();
    await stream();
    expect(await earlier).toBe("retry: 1000\n\n: taken\n\n");
  });

  it("needs a name, known types and no other field", async () => {
    const { call, id } = await listener();
    for (const body of [
      {},
      { name: "" },
      { name: "x", events: [] },
      { name: "x", events: ["message.unknown"] },
      { name: "x", event: ["message.received"] },
    ])
      expect(codeOf(await call("POST", `/instances/${id}/listeners`, body))).toEqual([400, "validation_error"]);
  });

  it("never carries a QR code to a key that may only read", async () => {
    const { who, id, key, session, call } = await listener();
    const { key: readerKey } = await keyOf(who, { scopes: ["read"] });
    const reader = callsWith({ "x-api-key": readerKey });
    const made = await reader("POST", `/instances/${id}/listeners`, { name: "reader" });
    expect(made.status).toBe(201);
    const all = await call("POST", `/instances/${id}/listeners`, { name: "manager", events: ["instance.qr"] });
    const managing = await open(`/api/instances/${id}/listeners/${all.body.data.id}/events`, key);
    const reading = await open(`/api/instances/${id}/listeners/${made.body.data.id}/events`, readerKey);
    await session.commit([event.qr(1), message("A")]);
    expect((await managing.next())?.event).toBe("instance.qr");
    const types = [await reading.next(), await reading.next()].map((one) => one?.event);
    expect(types).not.toContain("instance.qr");
    expect(types).toContain("message.received");
  });
});

describe("a listener of the Connection API", () => {
  async function ofConnection() {
    const { who, call } = await holder();
    const { id, session } = await connectedInstance(call);
    const dashboard = async (method: string, path: string, body?: object) => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await gateway()(`/api/dashboard/connections${path}`, { method, headers: who.headers, ...sent });
      return ((await answer.json()) as { data: any }).data;
    };
    const [connection] = await dashboard("GET", "");
    const { id: keyId, key } = await dashboard("POST", `/${connection.id}/keys`, { name: "Sistema" });
    const ask = (method: string, path: string, body?: object) =>
      gateway()(`/api/v1${path}`, {
        method,
        headers: { "x-api-key": key, "content-type": "application/json", "cf-connecting-ip": freshAddress() },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const made = (await (await ask("POST", "/listeners", { name: "laptop", events: ["message.received"] })).json()) as any;
    const path = `/listeners/${made.data.id}`;
    return {
      id,
      session,
      ask,
      path,
      revoke: () => dashboard("DELETE", `/${connection.id}/keys/${keyId}`),
      stream: () => open(`/api/v1${path}/events`, key as string),
    };
  }

  it("gets this API's bodies, and ends with the removal of its key", async () => {
    const { session, stream, revoke, ask, path } = await ofConnection();
    const events = await stream();
    await session.commit([message("A")]);
    expect(await events.next()).toMatchObject({ event: "message.received", data: { type: "message.received", data: { text: "A" } } });
    await revoke();
    expect(await events.next()).toBeNull();
    expect((await ask("GET", `${path}/events`)).status).toBe(401);
  });

  it("is answered 404 if it does not exist", async () => {
    const { ask } = await ofConnection();
    const answer = await ask("GET", "/listeners/lst_0/events");
    expect([answer.status, ((await answer.json()) as any).error.codigo]).toEqual([404, "ouvinte_nao_encontrado"]);
  });
});
