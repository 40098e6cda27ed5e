// Settings that act automatically (docs/use/apis.md, "Settings and pacing").
import { afterEach, describe, expect, it, vi } from "vitest";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { DEFAULT_INSTANCE_SETTINGS, type InstanceSettings } from "@gateway/protocol/instance-settings.ts";
import { allEnded, OTHER, TestConnection } from "../fakes/connection.ts";
import { taken, theirText } from "../fakes/messages.ts";
import { Receiver } from "../fakes/receiver.ts";

afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
});

async function ordered(settings: Partial<InstanceSettings>) {
  const { connection, session } = await TestConnection.connected();
  await connection.change({ settings: { ...connection.record.settings, ...settings } });
  return { connection, session };
}

type Call = Extract<NetworkEvent, { type: "call" }>;
const call = (change: Partial<Call> = {}): Call => ({
  type: "call",
  call_id: "C1",
  chat_id: `${OTHER}@c.us`,
  from: { phone: OTHER, lid: null },
  is_video: false,
  is_group: false,
  status: "received",
  timestamp: Math.floor(Date.now() / 1000),
  ...change,
});
const message = (id: string, change: object = {}) => ({
  type: "message.upsert" as const,
  message: theirText(id, id, change),
  origin: "live" as const,
});

/** Waits for a request that is always answered; by then, all earlier commands have arrived. */
async function turned(connection: TestConnection): Promise<void> {
  await connection.ask("instance.get", {});
}

describe("reject_calls", () => {
  it("rejects a ringing call, with an event for the call and none for the rejection", async () => {
    const { connection, session } = await ordered({ reject_calls: true });
    const receiver = await Receiver.of(connection);
    await session.commit([call()]);
    expect(await session.answer("calls.reject")).toEqual({ call_id: "C1", from: { phone: OTHER, lid: null } });
    await session.commit([call({ status: "rejected" })]);
    expect((await receiver.next("call")).data["status"]).toBe("received");
    await vi.waitFor(async () => {
      const listed = await connection.ask("calls.list", { limit: 1 });
      expect(listed.ok && listed.value.items[0]?.status).toBe("rejected");
    });
    expect(receiver.deliveries).toEqual([]);
    expect(session.commands).toEqual([]);
  });

  it("sends each caller the owner's message, once an hour and never for a group call", async () => {
    const { connection, session } = await ordered({ reject_calls: true, reject_call_message: "Please write." });
    const hour = Math.ceil(Date.now() / 3_600_000) * 3_600;
    await session.commit([call({ timestamp: hour })]);
    await session.answer("calls.reject");
    expect(await taken(session)).toMatchObject({ chat_id: `${OTHER}@c.us`, content: { kind: "text", text: "Please write." } });
    await session.commit([call({ call_id: "C2", is_group: true, chat_id: "120363000000000001@g.us", timestamp: hour })]);
    await session.answer("calls.reject");
    await connection.evict();
    await session.commit([call({ call_id: "C3", timestamp: hour + 3_599 })]);
    await session.answer("calls.reject");
    await turned(connection);
    expect(session.commands).toEqual([]);
    const another = { phone: "5511933332222", lid: null };
    for (const change of [{ from: another, timestamp: hour }, { timestamp: hour + 3_600 }]) {
      await session.commit([call({ call_id: `C4 ${change.timestamp}`, ...change })]);
      await session.answer("calls.reject");
      expect(await session.answer("send")).toMatchObject({ chat_id: `${change.from?.phone ?? OTHER}@c.us` });
    }
  });

  it("sends nothing to a caller whose call could not be rejected", async () => {
    const { connection, session } = await ordered({ reject_calls: true, reject_call_message: "Please write." });
    await session.commit([call()]);
    await session.refuse("calls.reject", { code: "call_not_found" });
    await turned(connection);
    expect(session.commands).toEqual([]);
  });

  it("does not reject calls when it is off, nor those that rang long ago", async () => {
    const { connection, session } = await ordered({ reject_calls: true });
    await session.commit([call({ timestamp: Math.floor(Date.now() / 1000) - 120 })]);
    await turned(connection);
    await connection.change({ settings: DEFAULT_INSTANCE_SETTINGS });
    await session.commit([call({ call_id: "C2" })]);
    await turned(connection);
    expect(session.commands).toEqual([]);
  });
});

describe("mark_read_on_receive", () => {
  it("marks a received message as read, and those that arrive meanwhile together", async () => {
    const { session } = await ordered({ mark_read_on_receive: true });
    await session.commit([message("A")]);
    const first = await session.frames.next("command", ({ name }) => name === "chats.seen");
    expect(JSON.parse(first.input)).toMatchObject({ chat_id: `${OTHER}@c.us`, unread: [{ message_id: "A" }] });
    await session.commit([message("B"), message("C")]);
    await session.commit([{ type: "chat.updated", chat_id: `${OTHER}@c.us`, unread_count: 2 }]);
    expect(session.commands).toEqual([]);
    session.say({ type: "result", id: first.id, ok: true, value: "{}" });
    const second = (await session.answer("chats.seen")) as { unread: { message_id: string }[] };
    expect(second.unread.map(({ message_id }) => message_id).toSorted()).toEqual(["B", "C"]);
  });

  it("does not mark history, channels or own messages, and nothing when it is off", async () => {
    const { connection, session } = await ordered({ mark_read_on_receive: true });
    await session.commit([
      { ...message("H"), origin: "history" },
      message("N", { chat_id: "120363000000000009@newsletter", sender: null }),
      message("O", { from_me: true, sender: null }),
    ]);
    await turned(connection);
    await connection.change({ settings: DEFAULT_INSTANCE_SETTINGS });
    await session.commit([message("A")]);
    await turned(connection);
    expect(session.commands).toEqual([]);
  });
});
