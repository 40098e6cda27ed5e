// Operations on messages: what the object checks, what it asks of its bridge, and what it keeps.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import type { StoreFiles } from "../../../src/protocol/connection.ts";
import { type MediaRef, pendingMedia, type SendRequest } from "../../../src/protocol/content.ts";
import type { NetworkEvent } from "../../../src/protocol/events.ts";
import type { GroupSnapshot } from "../../../src/protocol/groups.ts";
import type { NetworkMessage, StoredMedia } from "../../../src/protocol/message.ts";
import type { OperationInput } from "../../../src/protocol/operations.ts";
import { storeMedia } from "../../../src/services/media/store.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import { allEnded, event, OTHER, PHONE, TestConnection } from "../fakes/connection.ts";
import { acknowledged, ownText, theirText } from "../fakes/messages.ts";
import { Receiver } from "../fakes/receiver.ts";

const CHAT = `${OTHER}@c.us`;
const GROUP = "120363000000000001@g.us";
const MINUTE = 60;
const HOUR = 3_600;

afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
});

const ago = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;
const upsert = (message: NetworkMessage): NetworkEvent => ({
  type: "message.upsert",
  origin: message.from_me ? "own_device" : "live",
  message,
});
const mine = (id: string, change: Partial<NetworkMessage> = {}) => upsert(ownText(id, "mine", { timestamp: ago(5), ...change }));
const theirs = (id: string, change: Partial<NetworkMessage> = {}) => upsert(theirText(id, "theirs", { timestamp: ago(5), ...change }));
const target = (message_id: string, chat_id = CHAT) => ({ chat_id, message_id });
const commands = (session: FakeSession) => session.frames.rest.filter((frame) => frame.type === "command").map(({ name }) => name);

/** The next message that is asked for is taken by the network. */
async function taken(session: FakeSession): Promise<SendRequest> {
  const request = (await session.answer("send")) as SendRequest;
  await session.settle(request.message_id, acknowledged(request.message_id, "", { type: request.content.kind, chat_id: request.chat_id }));
  return request;
}

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
  it("goes to the network as a message, changes ours, and is told once", async () => {
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
    expect(receiver.heard.filter(({ type }) => type === "message.edited")).toEqual([]);
  });

  it.each([
    ["a message of somebody else", theirs("M"), "x", "forbidden"],
    ["one that is 15 minutes old", mine("M", { timestamp: ago(15 * MINUTE + 2) }), "x", "edit_window_closed"],
    ["a place", mine("M", { type: "location" }), "x", "not_supported"],
    ["a caption into one that is too long", mine("M", { type: "image" }), "é".repeat(1_025), "validation_error"],
    ["nothing we know", mine("OTHER"), "x", "message_not_found"],
  ] as const)("of %s is refused here", async (_what, message, text, code) => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([message]);
    expect(await connection.ask("messages.edit", { ...target("M"), text })).toMatchObject({ ok: false, code });
    expect(commands(session)).toEqual([]);
  });

  it("is not repeated by a repeated key, and goes on after a crash", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([mine("M")]);
    const call = { idempotencyKey: "once", flags: { mutating: true, counted: false, cached: false } };
    const edit = () => connection.ask("messages.edit", { ...target("M"), text: "better" }, call);
    const both = [edit(), edit()];
    await taken(session);
    const [first, second] = await Promise.all(both);
    expect(second).toEqual(first);
    expect(await edit()).toEqual(first);
    expect(commands(session)).toEqual([]);
  });
});

describe("a deletion", () => {
  it("for everyone takes our own message back", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([mine("M", { timestamp: ago(59 * HOUR) })]);
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
    ["after two and a half days", mine("M", { timestamp: ago(60 * HOUR + 2) }), "delete_window_closed"],
  ] as const)("for everyone %s is refused here", async (_what, message, code) => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([message]);
    expect(await connection.ask("messages.delete", { ...target("M"), for_everyone: true })).toMatchObject({ ok: false, code });
    expect(commands(session)).toEqual([]);
  });

  it("of others' messages is an admin's", async () => {
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

  it("for us alone asks nobody else, and the chat shows what is left", async () => {
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

  it("without an acknowledgement have an unknown outcome, and are refused while nothing is connected", async () => {
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
  it("are the bridge's to carry out and to report", async () => {
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
  it("are told option by option, ours among them", async () => {
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

describe("the file of a message", () => {
  const bucket = (env as Env).MEDIA;
  const described = (token: string | null): StoredMedia => ({
    token,
    mimetype: "image/png",
    filename: null,
    size: 3,
    sha256: null,
    duration_seconds: null,
    width: null,
    height: null,
  });
  async function keep(expiresAt: number): Promise<string> {
    const facts = { connection: crypto.randomUUID(), mimetype: "image/png", filename: null, sizeBytes: 3, expiresAt };
    return (await storeMedia(bucket, facts, new Response("png").body!)) ?? "";
  }

  it("is read where it is kept", async () => {
    const { connection, session } = await TestConnection.connected();
    const expires_at = Date.now() + 60_000;
    const token = await keep(expires_at);
    await session.commit([theirs("M", { type: "image", media: described(token) }), theirs("T")]);
    expect(await connection.ask("messages.media", target("M"))).toEqual({
      ok: true,
      value: { token, mimetype: "image/png", filename: null, size: 3, expires_at },
    });
    expect(commands(session)).toEqual([]);
    expect(await connection.ask("messages.media", target("T"))).toMatchObject({ code: "message_not_found", details: { type: "text" } });
  });

  it("is fetched again when it is gone, and has expired when the network has it no longer", async () => {
    const { connection, session } = await TestConnection.connected();
    const gone = await keep(Date.now() - 1);
    await session.commit([
      theirs("M", { type: "image", media: described(gone), raw: "cmF3" }),
      theirs("N", { type: "image", media: described(null), raw: null }),
    ]);
    const reading = connection.ask("messages.media", target("M"));
    const token = await keep(Date.now() + 60_000);
    expect(await session.answer("messages.fetch_media", described(token))).toEqual({ raw: "cmF3" });
    expect(await reading).toMatchObject({ ok: true, value: { token } });
    expect(await connection.ask("messages.media", target("M"))).toMatchObject({ ok: true, value: { token } });
    expect(await connection.ask("messages.media", target("N"))).toMatchObject({ code: "media_expired" });
    await session.commit([theirs("L", { type: "image", media: described(null), raw: "bG9zdA==" })]);
    const lost = connection.ask("messages.media", target("L"));
    const command = await session.frames.next("command");
    session.say({ type: "failed", id: command.id, failure: { code: "media_expired" } });
    expect(await lost).toMatchObject({ code: "media_expired" });
  });
});

describe("a send with a file", () => {
  const stored: MediaRef = { token: "t".repeat(36), mimetype: "image/png", filename: null, size: 9 };
  const image = (change: Partial<OperationInput<"messages.send">> = {}): OperationInput<"messages.send"> => ({
    to: OTHER,
    chat_id: null,
    content: { kind: "image", media: pendingMedia(0), caption: null, view_once: false },
    quoted_message_id: null,
    mentions: [],
    mention_all: false,
    reference: null,
    typing_ms: 0,
    message_id: null,
    source: "api",
    ...change,
  });
  const mutating = { mutating: true, counted: false, cached: false };
  /** What the worker hands over with the call, and how often it was asked for. */
  const storing = () => {
    const files = { asked: 0, keptForMs: 0 };
    const store: StoreFiles = async (keptForMs) => {
      files.asked += 1;
      files.keptForMs = keptForMs;
      return { ok: true, value: [stored] };
    };
    return Object.assign(files, { store });
  };

  it("has it kept for as long as the owner wants", async () => {
    const { connection, session } = await TestConnection.connected();
    const files = storing();
    await connection.change({ settings: { ...connection.record.settings, media_retention_days: 3 } });
    const id = "3EB0000000000000000001";
    const sending = connection.ask("messages.send", image({ message_id: id }), {}, files.store);
    await session.answer("send");
    await session.settle(id, acknowledged(id, ""));
    expect([(await sending).ok, files.keptForMs]).toEqual([true, 3 * 24 * 3_600_000]);
  });

  it("has it stored when everything else is right, and only then", async () => {
    const { connection, session } = await TestConnection.connected();
    const files = storing();
    expect(await connection.ask("messages.send", image({ quoted_message_id: "NONE" }), {}, files.store)).toMatchObject({
      code: "quoted_message_not_found",
    });
    const rejected = { code: "validation_error" } as const;
    expect(await connection.ask("messages.send", image(), { flags: mutating, rejected }, files.store)).toMatchObject(rejected);
    expect(files.asked).toBe(0);
    const sending = connection.ask("messages.send", image(), { flags: mutating }, files.store);
    const request = await taken(session);
    expect(request.content).toEqual({ kind: "image", media: stored, caption: null, view_once: false });
    expect(await sending).toMatchObject({ ok: true });
    expect(files.asked).toBe(1);
  });

  it("does not touch it while nothing is connected", async () => {
    const connection = await TestConnection.create();
    const files = storing();
    expect(await connection.ask("messages.send", image(), { flags: mutating }, files.store)).toMatchObject({
      code: "instance_not_connected",
    });
    expect(files.asked).toBe(0);
  });

  it("stores it once however often it is repeated", async () => {
    const { connection, session } = await TestConnection.connected();
    const files = storing();
    const call = { flags: mutating, idempotencyKey: "once" };
    const sending = [1, 2, 3].map(() => connection.ask("messages.send", image(), call, files.store));
    await taken(session);
    const results = await Promise.all(sending);
    expect(results[0]).toMatchObject({ ok: true });
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    await connection.ask("messages.send", image(), call, files.store);
    const chosen = image({ message_id: "ABCDEF0123456789" });
    const again = connection.ask("messages.send", chosen, { flags: mutating }, files.store);
    await taken(session);
    await again;
    await connection.ask("messages.send", chosen, { flags: mutating }, files.store);
    expect(files.asked).toBe(2);
  });

  it("fails as the file failed, or when the worker that has it is gone", async () => {
    const { connection, session } = await TestConnection.connected();
    const unreachable: StoreFiles = async () => ({ ok: false, failure: { code: "media_unreachable" } });
    const lost: StoreFiles = async () => {
      throw new Error("gone");
    };
    expect(await connection.ask("messages.send", image(), { flags: mutating }, unreachable)).toMatchObject({ code: "media_unreachable" });
    expect(await connection.ask("messages.send", image(), { flags: mutating }, lost)).toMatchObject({ code: "unavailable" });
    expect(commands(session)).toEqual([]);
    expect(await connection.sql("SELECT * FROM outbox")).toEqual([]);
  });
});

describe("other sends", () => {
  type Sent = ReturnType<TestConnection["send"]>;
  /** What was asked of the network for a send that it took. */
  async function asked(session: FakeSession, sending: Sent): Promise<SendRequest> {
    const request = await taken(session);
    expect(await sending).toMatchObject({ ok: true });
    return request;
  }

  it("answer privately, invite by the group's name, and say what sessions cannot do", async () => {
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

  it("go to the chat that a LID turned out to be", async () => {
    const { connection, session } = await TestConnection.connected();
    await session.commit([{ type: "lid.mapped", lid: "77777777", phone: OTHER }, event.open()]);
    expect(await asked(session, connection.send("hello", { to: null, chat_id: "77777777@lid" }))).toMatchObject({ chat_id: CHAT });
  });
});
