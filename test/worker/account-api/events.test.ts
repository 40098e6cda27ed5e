// `GET P/events`: an instance's events as server-sent events (docs/use/account-api.md, "Event streams").
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ACCOUNT_STYLE } from "@gateway/domain/webhooks/style/account.ts";
import { OTHER } from "../fakes/connection.ts";
import { theirText } from "../fakes/messages.ts";
import { allDisconnected, connectedInstance, CustomerServer } from "../support/account-session.ts";
import { callsWith, codeOf, holder, instanceOf, keyOf } from "../support/accounts.ts";
import { allLeft, EventStream } from "../support/event-stream.ts";
import { gateway } from "../support/gateway.ts";
import { CRASH } from "../support/crash.ts";

afterEach(async () => {
  await allLeft();
  await allDisconnected();
});

const listen = async (key: string, instance: string, query = "", headers: Record<string, string> = {}) =>
  EventStream.from(await gateway()(`/api/instances/${instance}/events${query}`, { headers: { "x-api-key": key, ...headers } }));

const message = (id: string) => ({ type: "message.upsert" as const, message: theirText(id, id), origin: "live" as const });

async function instance() {
  const account = await holder();
  return { ...account, ...(await connectedInstance(account.call)) };
}

describe("a stream", () => {
  it("carries the events of a webhook, with or without one", async () => {
    const server = new CustomerServer();
    const { call, key, id, session } = await instance();
    await call("POST", "/webhooks", { url: "https://hooks.example.net/", events: ["message.received"] });
    const stream = await listen(key, id, "?events=message.received");
    await session.commit([message("A")]);
    const event = await stream.next();
    expect(event).toMatchObject({
      event: "message.received",
      data: { event: "message.received", instance_id: id, data: { message_id: "A" } },
    });
    expect(event?.data.id).toBe(event?.id);
    const [delivered] = await server.deliveries(1);
    expect({ ...event?.data, id: null }).toEqual({ ...JSON.parse(delivered?.body ?? "{}"), id: null });
  });

  it("carries only the requested types", async () => {
    const { key, id, session } = await instance();
    const stream = await listen(key, id, "?events=message.reaction,message.received");
    await session.commit([message("A"), message("B")]);
    expect([(await stream.next())?.data.data.message_id, (await stream.next())?.data.data.message_id]).toEqual(["A", "B"]);
    const reactions = await listen(key, id, "?events=message.reaction");
    const reaction = { message_id: "A", chat_id: `${OTHER}@c.us`, sender: { phone: OTHER, lid: null }, from_me: false, reaction: "👍" };
    await session.commit([message("C"), { type: "message.reaction", timestamp: 1_900_000_001, ...reaction }]);
    expect((await reactions.next())?.data).toMatchObject({ event: "message.reaction", data: { message_id: "A" } });
  });

  it("ignores repeated types", async () => {
    const { key, id, session } = await instance();
    const stream = await listen(key, id, `?events=${Array.from({ length: 20 }, () => "message.received").join()}`);
    await session.commit([message("A")]);
    expect((await stream.next())?.data.data.message_id).toBe("A");
  });

  it("resumes after Last-Event-ID", async () => {
    const { key, id, session } = await instance();
    const query = "?events=message.received";
    const first = await listen(key, id, query);
    await session.commit([message("A")]);
    const event = await first.next();
    await first.leave();
    await session.commit([message("B"), message("C")]);
    const second = await listen(key, id, query, { "Last-Event-ID": event?.id ?? "" });
    expect([(await second.next())?.data.data.message_id, (await second.next())?.data.data.message_id]).toEqual(["B", "C"]);
    await session.commit([message("D")]);
    expect((await second.next())?.data.data.message_id).toBe("D");
  });

  it("carries all events but one that cannot be rendered, which is logged once, also when it resumes before that one", async () => {
    const { key, id, session } = await instance();
    const lines = vi.spyOn(console, "log");
    const envelope = ACCOUNT_STYLE.envelope.bind(ACCOUNT_STYLE);
    const broken = vi.spyOn(ACCOUNT_STYLE, "envelope").mockImplementation((...rendered) => {
      if (rendered[2]["message_id"] === "B") throw new TypeError("cannot be rendered");
      return envelope(...rendered);
    });
    const first = await listen(key, id, "?events=message.received");
    await session.commit([message("A"), message("B"), message("C")]);
    const [event, last] = [await first.next(), await first.next()];
    expect([event, last].map((each) => each?.data.data.message_id)).toEqual(["A", "C"]);
    for (let resumed = 0; resumed < 2; resumed += 1) {
      const again = await listen(key, id, "?events=message.received", { "Last-Event-ID": event?.id ?? "" });
      expect((await again.next())?.data.data.message_id).toBe("C");
    }
    broken.mockRestore();
    const logged = lines.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("event_failed"));
    lines.mockRestore();
    expect(logged.map((line) => JSON.parse(line) as object)).toMatchObject([{ receiver: "eventStreams", type: "message.received" }]);
  });

  it("sends `reset` when Last-Event-ID is unknown", async () => {
    const { key, id, session } = await instance();
    const first = await listen(key, id, "?events=message.received");
    await session.commit([message("A")]);
    const event = await first.next();
    await first.leave();
    await session.commit([message("B")]);
    await runInDurableObject(env.CONNECTION.getByName(id), (_object, state) => state.abort(CRASH)).catch(() => undefined);
    for (const after of [event?.id ?? "", "evt_nonsense", "msg_1"]) {
      const stream = await listen(key, id, "", { "Last-Event-ID": after });
      expect(await stream.next()).toEqual({ event: "reset", data: {} });
    }
    await session.redial();
  });

  it("survives the hibernation of its object, which hibernates while idle", async () => {
    const { key, id, session } = await instance();
    const stream = await listen(key, id, "?events=message.received");
    await evictDurableObject(env.CONNECTION.getByName(id));
    await session.commit([message("A")]);
    expect((await stream.next())?.data.data.message_id).toBe("A");
  });

  it("ends when the same key opens another one on the instance", async () => {
    const { who, key, id, session } = await instance();
    const other = await listen((await keyOf(who)).key, id, "?events=message.received");
    const first = await listen(key, id, "?events=message.received");
    const second = await listen(key, id, "?events=message.received");
    expect(await first.next()).toBeNull();
    await session.commit([message("A")]);
    for (const stream of [other, second]) expect((await stream.next())?.data.data.message_id).toBe("A");
    const listening = () => runInDurableObject(env.CONNECTION.getByName(id), (_object, state) => state.getWebSockets("listen").length);
    await second.leave();
    await vi.waitFor(async () => expect(await listening()).toBe(1));
  });

  it("is refused like any other route", async () => {
    const [mine, stranger] = [await holder(), await holder()];
    const { id } = await instanceOf(mine.call);
    expect(codeOf(await stranger.call("GET", `/instances/${id}/events`))).toEqual([404, "instance_not_found"]);
    expect(codeOf(await callsWith({})("GET", `/instances/${id}/events`))).toEqual([401, "unauthorized"]);
    expect(codeOf(await mine.call("GET", `/instances/${id}/events?events=presence`))).toEqual([400, "validation_error"]);
  });
});
