// Chat operations: commands sent to the bridge, and cases without a command.
import { afterEach, describe, expect, it, vi } from "vitest";
import type { MessageRange } from "@gateway/protocol/commands.ts";
import type { NetworkMessage } from "@gateway/protocol/message.ts";
import { OPERATIONS } from "@gateway/protocol/operations.ts";
import { allEnded, OTHER, TestConnection } from "../fakes/connection.ts";
import { ownText, theirText } from "../fakes/messages.ts";

const CHAT = `${OTHER}@c.us`;
const GROUP = "120363000000000001@g.us";
const T0 = 1_760_000_000;
const list = { limit: 50, cursor: null, archived: null, unread: null, kind: null, label_id: null, q: null };

afterEach(allEnded);

const arrived = (message: NetworkMessage) => ({ type: "message.upsert" as const, origin: "live" as const, message });
const sentByPhone = (message: NetworkMessage) => ({ type: "message.upsert" as const, origin: "own_device" as const, message });
const ref = (message_id: string, from_me = false, chat_id = CHAT, participant: { phone: string; lid: null } | null = null) => ({
  chat_id,
  message_id,
  from_me,
  participant,
});

/** A chat with three messages from the contact, then two from the phone. */
async function inChat() {
  const world = await TestConnection.connected();
  await world.session.commit([
    ...["T1", "T2", "T3"].map((id, at) => arrived(theirText(id, id, { timestamp: T0 + at }))),
    ...["O4", "O5"].map((id, at) => sentByPhone(ownText(id, id, { timestamp: T0 + 3 + at }))),
  ]);
  return world;
}

describe("a chat", () => {
  it("is read by its id, and unknown before anything was in it", async () => {
    const { connection } = await inChat();
    expect(await connection.ask("chats.get", { chat_id: CHAT })).toMatchObject({
      value: { chat_id: CHAT, unread_count: 3, archived: false, last_message: { message_id: "O5", from_me: true } },
    });
    expect(await connection.ask("chats.get", { chat_id: "5511900000099@c.us" })).toEqual({ ok: false, code: "chat_not_found" });
  });

  it("is changed up to the newest message of another sender that the network has", async () => {
    const { connection, session } = await inChat();
    const pending = connection.send("not on the network yet");
    const { message_id } = (await session.answer("send")) as { message_id: string };
    const range = [
      { ref: ref("O5", true), timestamp: T0 + 4 },
      { ref: ref("O4", true), timestamp: T0 + 3 },
      { ref: ref("T3"), timestamp: T0 + 2 },
    ] satisfies MessageRange;
    for (const archived of [true, false]) {
      const done = connection.ask("chats.archive", { chat_id: CHAT, archived });
      expect(await session.answer("chats.archive")).toEqual({ chat_id: CHAT, archived, range });
      expect(await done).toEqual({ ok: true, value: {} });
    }
    const marked = connection.ask("chats.unread", { chat_id: CHAT });
    expect(await session.answer("chats.unread")).toEqual({ chat_id: CHAT, range });
    await marked;
    const deleted = connection.ask("chats.delete", { chat_id: CHAT });
    expect(await session.answer("chats.delete")).toEqual({ chat_id: CHAT, range });
    await deleted;
    await session.settle(message_id, { kind: "refused", failure: { code: "number_not_on_network" } });
    await pending;
  });

  it("is seen: the unread messages of others are acknowledged, in groups with their authors", async () => {
    const { connection, session } = await inChat();
    const seen = connection.ask("chats.seen", { chat_id: CHAT });
    expect(await session.answer("chats.seen")).toMatchObject({ unread: [ref("T3"), ref("T2"), ref("T1")] });
    await seen;
    const author = { phone: "5511900000007", lid: null };
    await session.commit([arrived(theirText("G1", "in a group", { chat_id: GROUP, sender: author }))]);
    const inGroup = connection.ask("chats.seen", { chat_id: GROUP });
    expect(await session.answer("chats.seen")).toMatchObject({
      unread: [ref("G1", false, GROUP, author)],
      range: [{ ref: ref("G1", false, GROUP, author) }],
    });
    await inGroup;
    await session.commit([{ type: "chat.updated", chat_id: CHAT, unread_count: 0, marked_unread: false }]);
    const again = connection.ask("chats.seen", { chat_id: CHAT });
    expect(await session.answer("chats.seen")).toMatchObject({ unread: [] });
    await again;
  });

  it("shows what the owner does to it on the phone", async () => {
    const { connection, session } = await inChat();
    await session.commit([
      { type: "chat.updated", chat_id: CHAT, archived: true, pinned: true, muted_until: -1, unread_count: 0, marked_unread: true },
    ]);
    expect(await connection.ask("chats.get", { chat_id: CHAT })).toMatchObject({
      value: { archived: true, pinned: true, muted_until: -1, unread_count: 0, marked_unread: true },
    });
    await session.commit([{ type: "chat.deleted", chat_id: CHAT }]);
    expect(await connection.ask("chats.get", { chat_id: CHAT })).toMatchObject({ code: "chat_not_found" });
  });

  it("is muted for the requested time", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { connection, session } = await inChat();
    const start = Math.floor(Date.now() / 1000);
    const mute = async (muted: boolean, seconds: number | null) => {
      const done = connection.ask("chats.mute", { chat_id: CHAT, muted, seconds });
      const { until } = (await session.answer("chats.mute")) as { until: number | null };
      await session.commit([{ type: "chat.updated", chat_id: CHAT, muted_until: until }]);
      await done;
      return until;
    };
    expect(await mute(true, null)).toBe(-1);
    expect(await mute(true, 3_600)).toBe(start + 3_600);
    const shown = async () => {
      const listed = await connection.ask("chats.list", list);
      const one = await connection.ask("chats.get", { chat_id: CHAT });
      return [listed.ok && listed.value.items[0]?.muted_until, one.ok && one.value.muted_until];
    };
    expect(await shown()).toEqual([start + 3_600, start + 3_600]);
    vi.setSystemTime((start + 3_601) * 1000);
    expect(await shown()).toEqual([null, null]);
    expect(await mute(false, null)).toBeNull();
  });

  it("shows typing also in an empty chat", async () => {
    const { connection, session } = await TestConnection.connected();
    const typing = { chat_id: CHAT, state: "typing" as const, duration_ms: 500 };
    const done = connection.ask("chats.typing", typing);
    expect(await session.answer("chats.typing")).toEqual(typing);
    expect(await done).toEqual({ ok: true, value: {} });
  });
});

describe("three pinned chats", () => {
  const id = (n: number) => `551190000010${n}@c.us`;
  async function pinned(count: number) {
    const world = await TestConnection.connected();
    await world.session.commit([0, 1, 2, 3, 4].map((n) => arrived(theirText(`M${n}`, "hi", { chat_id: id(n), timestamp: T0 + n }))));
    await world.session.commit(Array.from({ length: count }, (_, n) => ({ type: "chat.updated" as const, chat_id: id(n), pinned: true })));
    return world;
  }
  const pin = (connection: TestConnection, n: number, pin_ = true) => connection.ask("chats.pin", { chat_id: id(n), pinned: pin_ });

  it("are the limit, but each of them may be pinned again or unpinned", async () => {
    const { connection, session } = await pinned(3);
    expect(await pin(connection, 3)).toEqual({ ok: false, code: "pin_limit" });
    expect(session.commands).toEqual([]);
    for (const [n, how] of [
      [2, true],
      [2, false],
    ] as const) {
      const done = pin(connection, n, how);
      expect(await session.answer("chats.pin")).toEqual({ chat_id: id(n), pinned: how });
      await done;
    }
    await session.commit([{ type: "chat.updated", chat_id: id(2), pinned: false }]);
    const third = pin(connection, 3);
    await session.answer("chats.pin");
    expect(await third).toEqual({ ok: true, value: {} });
  });

  it("do not become four when two are pinned at once", async () => {
    const { connection, session } = await pinned(2);
    const [one, two] = [pin(connection, 3), pin(connection, 4)];
    expect(await two).toEqual({ ok: false, code: "pin_limit" });
    await session.refuse("chats.pin", { code: "network_rate_limited" });
    expect(await one).toMatchObject({ code: "network_rate_limited" });
    const again = pin(connection, 4);
    await session.answer("chats.pin");
    expect(await again).toMatchObject({ ok: true });
  });
});

const CHANGES = [
  ["chats.delete", {}],
  ["chats.seen", {}],
  ["chats.unread", {}],
  ["chats.archive", { archived: true }],
  ["chats.pin", { pinned: true }],
  ["chats.mute", { muted: true, seconds: null }],
] as const;

describe.each(CHANGES)("%s", (operation, input) => {
  it("needs a chat and a session", async () => {
    const { connection, session } = await inChat();
    const ask = (world: TestConnection, chat_id: string) => world.ask(operation, { chat_id, ...input });
    expect(await ask(connection, "5511900000099@c.us")).toEqual({ ok: false, code: "chat_not_found" });
    expect(session.commands).toEqual([]);
    await connection.ask("instance.disconnect", {});
    expect(await ask(connection, CHAT)).toEqual({ ok: false, code: "instance_not_connected" });
  });

  it("is for operators", () => {
    expect(OPERATIONS[operation].role).toBe("operator");
  });
});
