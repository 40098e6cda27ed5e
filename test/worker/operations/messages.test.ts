// Message operations: validation, commands sent to the bridge, and stored state.
import { afterEach, describe, expect, it, vi } from "vitest";
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { GroupSnapshot } from "@gateway/protocol/groups.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import { allEnded, event, OTHER, PHONE, type Result, TestConnection } from "../fakes/connection.ts";
import { ago, mine, taken, theirs } from "../fakes/messages.ts";
import { Receiver } from "../fakes/receiver.ts";
import { HOUR_SECONDS } from "@gateway/protocol/units.ts";

const CHAT = `${OTHER}@c.us`;
const GROUP = "120363000000000001@g.us";
const MINUTE = 60;

afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
});

const target = (message_id: string, chat_id = CHAT) => ({ chat_id, message_id });

async function inGroup(role: "member" | "admin") {
  const world = await TestConnection.connected();
  const person = { phone: OTHER, lid: null };
  const group: GroupSnapshot = {
    group_id: GROUP,
    subject: "Vendas",
    description: null,
    owner: person,
    created_at: 1,
    settings: {
      messages_admins_only: false,
      info_admins_only: false,
      members_can_add: false,
      join_approval: false,
      disappearing_seconds: 0,
    },
    community_id: null,
    is_announcement_group: false,
    participants: [
      { person: { phone: PHONE, lid: null }, role },
      { person, role: "member" },
    ],
  };
  await world.session.commit([{ type: "group.snapshot", group }, theirs("G", { chat_id: GROUP })]);
  return world;
}

describe("an edit", () => {
  it("is sent as a message, changes the stored one, and is emitted once", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([mine("M")]);
    const receiver = await Receiver.of(connection);
    const editing = connection.ask("messages.edit", { ...target("M"), text: "better" });
    const request = await taken(session);
    expect(request).toMatchObject({
      chat_id: CHAT,
      content: { kind: "edit", text: "better", target: { ...target("M"), from_me: true } },
    });
    expect(await editing).toMatchObject({ ok: true, value: { message_id: "M", text: "better" } });
    expect((await receiver.next("message.edited")).data).toMatchObject({ message_id: "M", text: "better" });
    await connection.ask("instance.get", {});
    expect(receiver.deliveries.filter(({ type }) => type === "message.edited")).toEqual([]);
  });

  it.each([
    ["a message of somebody else", theirs("M"), "x", "forbidden"],
    ["one that is 15 minutes old", mine("M", { timestamp: ago(15 * MINUTE + 2) }), "x", "edit_window_closed"],
    ["a place", mine("M", { type: "location" }), "x", "not_supported"],
    ["a caption into one that is too long", mine("M", { type: "image" }), "é".repeat(1_025), "validation_error"],
    ["nothing we know", mine("OTHER"), "x", "message_not_found"],
  ] as const)("is refused without a command: %s", async (_what, message, text, code) => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([message]);
    expect(await connection.ask("messages.edit", { ...target("M"), text })).toMatchObject({ ok: false, code });
    expect(session.commands).toEqual([]);
  });

  it("is not repeated by a repeated key, and continues after a crash", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([mine("M")]);
    const call = { idempotencyKey: "once", flags: { mutating: true, counted: false, cached: false } };
    const edit = () => connection.ask("messages.edit", { ...target("M"), text: "better" }, call);
    const both = [edit(), edit()];
    await taken(session);
    const [first, second] = await Promise.all(both);
    for (const repeated of [second, await edit()]) expect(repeated).toEqual({ ...first, replayed: true });
    expect(session.commands).toEqual([]);
  });
});

describe("a deletion", () => {
  it("deletes an own message for everyone", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([mine("M", { timestamp: ago(59 * HOUR_SECONDS) })]);
    const deleting = connection.ask("messages.delete", { ...target("M"), for_everyone: true });
    expect((await taken(session)).content).toMatchObject({ kind: "delete", target: { message_id: "M", from_me: true } });
    expect(await deleting).toEqual({ ok: true, value: {} });
    const read = await connection.ask("messages.get", { message_id: "M", chat_id: CHAT });
    expect(read).toMatchObject({ ok: true, value: { text: null } });
    expect(read.ok && read.value.deleted_at).toBeGreaterThan(0);
    expect(await connection.ask("messages.delete", { ...target("M"), for_everyone: true })).toMatchObject({ code: "message_not_found" });
  });

  it.each([
    ["of somebody else's message", theirs("M"), "forbidden"],
    ["after two and a half days", mine("M", { timestamp: ago(60 * HOUR_SECONDS + 2) }), "delete_window_closed"],
  ] as const)("is refused without a command for everyone: %s", async (_what, message, code) => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([message]);
    expect(await connection.ask("messages.delete", { ...target("M"), for_everyone: true })).toMatchObject({ ok: false, code });
    expect(session.commands).toEqual([]);
  });

  it("needs a group admin for other people's messages", async () => {
    const asMember = await inGroup("member");
    expect(await asMember.connection.ask("messages.delete", { ...target("G", GROUP), for_everyone: true })).toMatchObject({
      code: "forbidden",
    });
    const { connection, session } = await inGroup("admin");
    const deleting = connection.ask("messages.delete", { ...target("G", GROUP), for_everyone: true });
    const { content } = await taken(session);
    expect(content).toMatchObject({ kind: "delete", target: { from_me: false, participant: { phone: OTHER } } });
    expect(await deleting).toMatchObject({ ok: true });
  });

  it("sends nothing to the chat if it is for the owner only, and the message before becomes the last one", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([theirs("OLD", { timestamp: ago(100) }), theirs("M")]);
    const deleting = connection.ask("messages.delete", { ...target("M"), for_everyone: false });
    const command = await session.frames.next("command");
    expect(command).toMatchObject({ name: "messages.delete_for_me" });
    expect(JSON.parse(command.input)).toMatchObject({ ref: { message_id: "M", from_me: false } });
    await session.commit([{ type: "message.removed", chat_id: CHAT, message_id: "M" }]);
    session.say({ type: "result", id: command.id, ok: true, value: "{}" });
    expect(await deleting).toEqual({ ok: true, value: {} });
    expect(await connection.ask("messages.get", { message_id: "M", chat_id: CHAT })).toMatchObject({ code: "message_not_found" });
    const chats = await connection.ask("chats.list", {
      limit: 5,
      cursor: null,
      archived: null,
      unread: null,
      kind: null,
      label_id: null,
      q: null,
    });
    expect(chats.ok && chats.value.items[0]?.last_message?.message_id).toBe("OLD");
    await session.commit([theirs("M")]);
    expect(await connection.ask("messages.get", { message_id: "M", chat_id: CHAT }), "a redelivery does not bring it back").toMatchObject({
      ok: false,
    });
  });
});

describe("a reaction and a pin", () => {
  it("go to the network as messages", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([theirs("M")]);
    for (const [ask, content] of [
      [() => connection.ask("messages.react", { ...target("M"), reaction: "👍" }), { kind: "reaction", reaction: "👍" }],
      [() => connection.ask("messages.pin", { ...target("M"), seconds: 86_400 }), { kind: "pin", seconds: 86_400 }],
      [() => connection.ask("messages.pin", { ...target("M"), seconds: null }), { kind: "pin", seconds: null }],
    ] as const) {
      const asking = ask();
      expect((await taken(session)).content).toMatchObject({ ...content, target: { message_id: "M" } });
      expect(await asking).toEqual({ ok: true, value: {} });
    }
    const read = await connection.ask("messages.get", { message_id: "M", chat_id: CHAT });
    expect(read.ok && read.value.reactions).toMatchObject([{ from_me: true, reaction: "👍" }]);
  });

  it("do not exist in channels", async () => {
    const { connection, session } = await TestConnection.connected();
    const channel = "120363000000000009@newsletter";
    await session.commit([theirs("C", { chat_id: channel, sender: null })]);
    expect(await connection.ask("messages.react", { ...target("C", channel), reaction: "👍" })).toMatchObject({ code: "not_supported" });
    expect(await connection.ask("messages.pin", { ...target("C", channel), seconds: 86_400 })).toMatchObject({ code: "not_supported" });
  });

  it("have an unknown outcome without an acknowledgement, and are refused while nothing is connected", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([theirs("M")]);
    const reacting = connection.ask("messages.react", { ...target("M"), reaction: "👍" });
    const { message_id } = (await session.answer("send")) as SendRequest;
    await session.settle(message_id, { kind: "uncertain" });
    expect(await reacting).toMatchObject({ code: "send_outcome_unknown" });
    await connection.ask("instance.disconnect", {});
    expect(await connection.ask("messages.react", { ...target("M"), reaction: "👍" })).toMatchObject({ code: "instance_not_connected" });
    expect(await connection.ask("messages.star", { ...target("M"), star: true })).toMatchObject({ code: "instance_not_connected" });
  });
});

describe("a star and clearing", () => {
  it("are commands to the bridge, which reports them", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([theirs("M")]);
    const starring = connection.ask("messages.star", { ...target("M"), star: true });
    expect(await session.answer("messages.star")).toMatchObject({ ref: { message_id: "M" }, star: true });
    expect(await starring).toEqual({ ok: true, value: {} });
    const clearing = connection.ask("messages.clear", { chat_id: CHAT });
    expect(await session.answer("messages.clear")).toMatchObject({ chat_id: CHAT, range: [{ ref: { message_id: "M" } }] });
    expect(await clearing).toEqual({ ok: true, value: {} });
    expect(await connection.ask("messages.clear", { chat_id: "5511900000077@c.us" })).toMatchObject({ code: "chat_not_found" });
    expect(await connection.ask("messages.star", { ...target("NONE"), star: true })).toMatchObject({ code: "message_not_found" });
  });
});

describe("the votes on a poll", () => {
  it("are counted by option, own votes included", async () => {
    const { connection, session } = await TestConnection.connected();
    const poll = { question: "When?", options: ["Tue", "Thu"], selectable_count: 1 };
    const vote = (from_me: boolean, option: string): NetworkEvent => ({
      type: "poll.vote",
      ...target("P"),
      from_me,
      voter: from_me ? null : { phone: OTHER, lid: null },
      options: [option],
      timestamp: ago(1),
    });
    await session.commit([mine("P", { type: "poll", poll }), vote(false, "Tue"), vote(true, "Thu"), theirs("M")]);
    expect(await connection.ask("messages.votes", target("P"))).toEqual({
      ok: true,
      value: {
        items: [
          { option: "Tue", votes: 1, voters: [{ phone: OTHER, lid: null }] },
          { option: "Thu", votes: 1, voters: [{ phone: PHONE, lid: null }] },
        ],
      },
    });
    expect(await connection.ask("messages.votes", target("M"))).toMatchObject({ code: "message_not_found" });
  });
});

describe("other sends", () => {
  type Sent = ReturnType<TestConnection["send"]>;
  /** The command of a send accepted by the network. */
  async function asked(session: FakeSession, sending: Sent): Promise<SendRequest> {
    const request = await taken(session);
    expect(await sending).toMatchObject({ ok: true });
    return request;
  }

  it("answer privately, invite by the group's name, and refuse what sessions cannot do", async () => {
    const { connection, session } = await inGroup("admin");
    const answer = await asked(session, connection.send("between us", { quoted_message_id: "G" }));
    expect(answer).toMatchObject({ chat_id: CHAT, quoted: { ref: { chat_id: GROUP, message_id: "G" } } });
    const invitation = connection.send("", { content: { kind: "invite_to", group_id: GROUP, text: "come" } });
    expect(await asked(session, invitation)).toMatchObject({
      content: { kind: "group_invite", group_id: GROUP, subject: "Vendas", text: "come" },
    });
    const unknown = { kind: "invite_to", group_id: "120363000000000099@g.us", text: null } as const;
    expect(await connection.send("", { content: unknown })).toMatchObject({ code: "group_not_found" });
    const template = { kind: "template", name: "a", language: "pt", components: null } as const;
    expect(await connection.send("", { content: template })).toMatchObject({ code: "not_supported", details: { kind: "session" } });
  });

  it("go to the chat of a LID's phone", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([{ type: "lid.mapped", lid: "77777777", phone: OTHER }, event.open()]);
    expect(await asked(session, connection.send("hello", { to: null, chat_id: "77777777@lid" }))).toMatchObject({ chat_id: CHAT });
  });
});

it("a chat with more than an answer can hold is listed whole, page by page", async () => {
  const { connection, session } = await TestConnection.connected();
  const ids = Array.from({ length: 40 }, (_, at) => `LONG${String(at).padStart(2, "0")}`);
  await session.commit(ids.map((id) => theirs(id)));
  await connection.sql("UPDATE messages SET text = hex(zeroblob(500000))");
  const query = { chat_id: CHAT, limit: 100, before: null, after: null, from_me: null, type: null, reference: null, status: null, q: null };
  const listed: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Result<OperationOutput<"messages.list">> = await connection.ask("messages.list", { ...query, cursor });
    if (!page.ok) throw new Error(page.code);
    listed.push(...page.value.items.map(({ message_id }) => message_id));
    cursor = page.value.next_cursor;
  } while (cursor !== null);
  expect(listed.toSorted()).toEqual(ids);
});
