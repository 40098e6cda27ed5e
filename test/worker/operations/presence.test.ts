// Presence: subscriptions, their events, and restoration in a new session.
import { afterEach, describe, expect, it, vi } from "vitest";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import { allEnded, event, OTHER, TestConnection } from "../fakes/connection.ts";
import { Receiver } from "../fakes/receiver.ts";

const CHAT = `${OTHER}@c.us`;

afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
});

const seconds = () => Math.floor(Date.now() / 1000);
const seen = (presence: "online" | "offline" | "typing" | "paused" | "recording", last_seen: number | null = null): NetworkEvent => ({
  type: "presence",
  chat_id: CHAT,
  person: { phone: OTHER, lid: null },
  presence,
  last_seen,
  timestamp: seconds(),
});
/** Subscribes, and delivers the network's first report. */
async function subscribed(connection: TestConnection, session: FakeSession, ...first: NetworkEvent[]) {
  const done = connection.ask("presence.subscribe", { chat_id: CHAT });
  const command = await session.frames.next("command", ({ name }) => name === "presence.subscribe");
  if (first.length > 0) await session.commit(first);
  session.say({ type: "result", id: command.id, ok: true, value: JSON.stringify({ chat_ids: [CHAT] }) });
  expect(await done).toEqual({ ok: true, value: {} });
}

describe("a first read", () => {
  it("subscribes, and answers with the network's first report", async () => {
    const { connection, session } = await TestConnection.connected();
    const read = connection.ask("presence.get", { chat_id: CHAT });
    const command = await session.frames.next("command", ({ name }) => name === "presence.subscribe");
    expect(JSON.parse(command.input)).toMatchObject({ chat_ids: [CHAT], wait_ms: expect.any(Number) as number });
    await session.commit([seen("offline", 1_760_000_000)]);
    session.say({ type: "result", id: command.id, ok: true, value: JSON.stringify({ chat_ids: [CHAT] }) });
    expect(await read).toMatchObject({ value: { chat_id: CHAT, presence: "offline", last_seen: 1_760_000_000, subscribed: true } });
    await session.commit([seen("typing")]);
    expect(await connection.ask("presence.get", { chat_id: CHAT })).toMatchObject({ value: { presence: "typing" } });
    expect(session.commands, "the chat is subscribed once").toEqual([]);
  });

  it("uses the number as the network resolves it, and fails for one not on the network", async () => {
    const { connection, session } = await TestConnection.connected();
    const read = connection.ask("presence.get", { chat_id: "551188887777@c.us" });
    await session.answer("presence.subscribe", { chat_ids: ["5511988887777@c.us"] });
    expect(await read).toMatchObject({ value: { chat_id: "5511988887777@c.us", presence: "unknown", subscribed: true } });
    const nobody = connection.ask("presence.get", { chat_id: CHAT });
    await session.answer("presence.subscribe", { chat_ids: [null] });
    expect(await nobody).toEqual({ ok: false, code: "number_not_on_network" });
    expect(await connection.ask("presence.own", {})).toMatchObject({ value: { subscriptions: ["5511988887777@c.us"] } });
  });

  it("fails on a number that is not connected, and stores nothing", async () => {
    const { connection, session } = await TestConnection.connected();
    const failed = connection.ask("presence.subscribe", { chat_id: CHAT });
    await session.refuse("presence.subscribe", { code: "network_timeout" });
    expect(await failed).toMatchObject({ code: "network_timeout" });
    await connection.ask("instance.disconnect", {});
    expect(await connection.ask("presence.get", { chat_id: CHAT })).toEqual({ ok: false, code: "instance_not_connected" });
    expect(await connection.ask("presence.own", {})).toEqual({ ok: true, value: { presence: "offline", subscriptions: [] } });
  });
});

describe("the presence event", () => {
  it("is emitted for subscribed chats only, and only to a webhook that subscribes to it", async () => {
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    await subscribed(connection, session, seen("online"));
    const hook = await connection.ask("webhook.get", {});
    if (!hook.ok) throw new Error(hook.code);
    await connection.ask("webhook.put", { url: hook.value.url, events: ["presence"] });
    await session.commit([{ ...seen("typing"), chat_id: "5511900000077@c.us" } as NetworkEvent, seen("recording")]);
    expect(await receiver.next("presence")).toMatchObject({
      data: { chat_id: CHAT, phone: OTHER, presence: "recording", is_group: false, last_seen: null },
    });
    const gone = connection.ask("presence.unsubscribe", { chat_id: CHAT });
    expect(await session.answer("presence.unsubscribe")).toEqual({ chat_id: CHAT });
    expect(await gone).toEqual({ ok: true, value: {} });
    await session.commit([seen("offline")]);
    expect(receiver.deliveries).toEqual([]);
    expect(await connection.ask("presence.unsubscribe", { chat_id: CHAT }), "unsubscribing again succeeds").toEqual({
      ok: true,
      value: {},
    });
  });
});

describe("five hundred subscriptions", () => {
  it("are restored as far as the network allows, and the others when the customer subscribes again", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    await connection.sql(`WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 149)
      INSERT INTO presence_subscriptions (chat_id) SELECT printf('55218%08d@c.us', n) FROM n`);
    session.drop();
    await connection.ask("instance.restart", {});
    const next = await bridge.open(connection.uuid);
    await next.commit([event.open()]);
    const refused = await next.frames.next("command", ({ name }) => name === "presence.subscribe");
    next.say({ type: "failed", id: refused.id, failure: { code: "network_timeout" } });
    expect(await next.answer("presence.subscribe", { chat_ids: [] })).toMatchObject({ chat_ids: { length: 50 } });
    const [chat_id] = (JSON.parse(refused.input) as { chat_ids: [string] }).chat_ids;
    const again = connection.ask("presence.subscribe", { chat_id });
    expect(await next.answer("presence.subscribe", { chat_ids: [chat_id] })).toMatchObject({ chat_ids: [chat_id] });
    expect(await again).toEqual({ ok: true, value: {} });
  });

  it("are the limit, and each new session subscribes to all of them", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    await connection.sql(`WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 498)
      INSERT INTO presence_subscriptions (chat_id) SELECT printf('55218%08d@c.us', n) FROM n`);
    await subscribed(connection, session);
    expect(await connection.ask("presence.subscribe", { chat_id: "5511988887777@c.us" })).toEqual({
      ok: false,
      code: "subscription_limit",
    });
    await connection.ask("instance.restart", {});
    const next = await bridge.open(connection.uuid);
    await next.commit([event.open()]);
    const refreshed = new Set<string>();
    while (refreshed.size < 500) {
      const command = await next.frames.next("command", ({ name }) => name === "presence.subscribe");
      const { chat_ids, wait_ms } = JSON.parse(command.input) as { chat_ids: string[]; wait_ms: number };
      expect(wait_ms).toBe(0);
      for (const chatId of chat_ids) refreshed.add(chatId);
      next.say({ type: "result", id: command.id, ok: true, value: JSON.stringify({ chat_ids }) });
    }
    expect(refreshed).toContain(CHAT);
  });
});

describe("the own presence", () => {
  it("is set, sent, and sent again to the next session", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    expect(await connection.ask("presence.own", {})).toEqual({ ok: true, value: { presence: "offline", subscriptions: [] } });
    const set = connection.ask("presence.set", { presence: "online" });
    expect(await session.answer("presence.set")).toEqual({ presence: "online" });
    expect(await set).toEqual({ ok: true, value: {} });
    expect(await connection.ask("presence.own", {})).toMatchObject({ value: { presence: "online" } });
    session.drop();
    await connection.ask("instance.restart", {});
    expect(await connection.ask("presence.own", {}), "the number is offline without a session").toMatchObject({
      value: { presence: "offline" },
    });
    const next = await bridge.open(connection.uuid);
    await next.commit([event.open()]);
    expect(await next.answer("presence.set")).toEqual({ presence: "online" });
    expect(await connection.ask("presence.own", {})).toMatchObject({ value: { presence: "online" } });
  });

  it("is sent again to a session that closed and opened within one commit", async () => {
    const { connection, session } = await TestConnection.connected();
    const set = connection.ask("presence.set", { presence: "online" });
    await session.answer("presence.set");
    await set;
    await session.commit([event.closed("lost", 428), event.open()]);
    expect(await session.answer("presence.set")).toEqual({ presence: "online" });
  });

  it("cannot be sent before the profile's name is known", async () => {
    const connection = await TestConnection.create();
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    await session.commit([{ ...event.open(), profile_name: null } as NetworkEvent]);
    expect(await connection.ask("presence.set", { presence: "online" })).toEqual({ ok: false, code: "profile_name_unknown" });
    expect(session.commands).toEqual([]);
    await session.commit([{ type: "profile.updated", name: "Ana" }]);
    const set = connection.ask("presence.set", { presence: "online" });
    await session.refuse("presence.set", { code: "profile_name_unknown" });
    expect(await set).toMatchObject({ code: "profile_name_unknown" });
    expect(await connection.ask("presence.own", {}), "the refused presence is not stored").toMatchObject({
      value: { presence: "offline" },
    });
  });

  it("follows the owner's settings while none was set", async () => {
    const { connection } = await TestConnection.connected();
    await connection.stub.configure({ ...connection.record, settings: { ...connection.record.settings, always_online: true } });
    expect(await connection.ask("presence.own", {})).toMatchObject({ value: { presence: "online" } });
  });
});

it("presence is not supported on a Cloud API number", async () => {
  const connection = await TestConnection.create({ kind: "cloud_api" });
  const none = { ok: false, code: "not_supported", details: { kind: "cloud_api" } };
  expect(await connection.ask("presence.get", { chat_id: CHAT })).toEqual(none);
  expect(await connection.ask("presence.subscribe", { chat_id: CHAT })).toEqual(none);
  expect(await connection.ask("presence.unsubscribe", { chat_id: CHAT })).toEqual(none);
  expect(await connection.ask("presence.set", { presence: "online" })).toEqual(none);
  expect(await connection.ask("presence.own", {})).toEqual(none);
});
