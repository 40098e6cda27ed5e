// Changes that a cloud number makes only in its store: it behaves as a session would, without calling Graph.
import { afterEach, describe, expect, it, vi } from "vitest";
import type { OperationInput, OperationName } from "@gateway/protocol/operations.ts";
import { allEnded, OTHER, TestConnection } from "../fakes/connection.ts";
import { theirText } from "../fakes/messages.ts";

const CHAT = `${OTHER}@c.us`;
const T0 = 1_760_000_000;

afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
});

/** A cloud number with a chat of two messages, and all URLs it requests. */
async function cloudNumber() {
  const { connection, session } = await TestConnection.connected();
  await session.commit(
    ["T1", "T2"].map((id, at) => ({ type: "message.upsert", origin: "live", message: theirText(id, id, { timestamp: T0 + at }) })),
  );
  await connection.ask("instance.disconnect", {});
  await connection.change({ kind: "cloud_api" });
  const fetched = vi.spyOn(globalThis, "fetch");
  return { connection, fetched };
}

const CHANGES = [
  ["chats.archive", { archived: true }, { archived: true }],
  ["chats.archive", { archived: false }, { archived: false }],
  ["chats.pin", { pinned: true }, { pinned: true }],
  ["chats.pin", { pinned: false }, { pinned: false }],
  ["chats.mute", { muted: true, seconds: null }, { muted_until: -1 }],
  ["chats.mute", { muted: false, seconds: null }, { muted_until: null }],
] as const;

describe("a Cloud API number", () => {
  it.each(CHANGES)("performs %s with %o", async (operation, change, shown) => {
    const { connection, fetched } = await cloudNumber();
    // Sets the opposite value first, so the change is visible.
    for (const [earlier, reversed] of CHANGES) if (earlier === operation) await connection.ask(earlier, { chat_id: CHAT, ...reversed });
    expect(await connection.ask(operation, { chat_id: CHAT, ...change })).toEqual({ ok: true, value: {} });
    expect(await connection.ask("chats.get", { chat_id: CHAT })).toMatchObject({ value: shown });
    expect(await connection.ask(operation, { chat_id: "5511900000099@c.us", ...change })).toEqual({ ok: false, code: "chat_not_found" });
    expect(fetched).not.toHaveBeenCalled();
  });

  it("clears and deletes a chat", async () => {
    const { connection, fetched } = await cloudNumber();
    const messages = async () => {
      const query = { before: null, after: null, from_me: null, type: null, reference: null, status: null, q: null };
      const listed = await connection.ask("messages.list", { chat_id: CHAT, limit: 50, cursor: null, ...query });
      return listed.ok ? listed.value.items.length : listed.code;
    };
    expect(await messages()).toBe(2);
    expect(await connection.ask("messages.clear", { chat_id: CHAT })).toEqual({ ok: true, value: {} });
    expect(await messages()).toBe(0);
    expect(await connection.ask("chats.get", { chat_id: CHAT })).toMatchObject({ ok: true });
    expect(await connection.ask("chats.delete", { chat_id: CHAT })).toEqual({ ok: true, value: {} });
    expect(await connection.ask("chats.get", { chat_id: CHAT })).toEqual({ ok: false, code: "chat_not_found" });
    expect(fetched).not.toHaveBeenCalled();
  });

  it("saves and removes a contact, with a session's events", async () => {
    const { connection, fetched } = await cloudNumber();
    const { promise: told, resolve } = Promise.withResolvers<unknown>();
    fetched.mockImplementation(async (_url, init) => {
      resolve(JSON.parse(new TextDecoder().decode(init?.body as Uint8Array)));
      return new Response(null, { status: 200 });
    });
    const endpoint = { url: "https://hooks.example.net/", events: ["contact.created"], secret: null, headers: {}, is_active: true };
    await connection.stub.accountEndpointsChanged([{ id: "one", ...endpoint, retry_count: 0, timeout_ms: 5_000 }], 1);
    const saved = { contact_id: "5511900000077@c.us", full_name: "Ana Souza", first_name: "Ana" };
    expect(await connection.ask("contacts.save", saved)).toMatchObject({
      value: { contact_id: "5511900000077@c.us", name: "Ana Souza", is_saved: true },
    });
    expect(await told).toMatchObject({ event: "contact.created" });
    expect(await connection.ask("contacts.remove", { contact_id: saved.contact_id })).toEqual({ ok: true, value: {} });
    expect(await connection.ask("contacts.get", { contact_id: saved.contact_id })).toMatchObject({
      value: { name: null, is_saved: false },
    });
    expect(await connection.ask("contacts.remove", { contact_id: "5511900000078@c.us" })).toEqual({
      ok: false,
      code: "contact_not_found",
    });
  });
});

/** Operations that a cloud number does not support, or not with this field. */
function refused<N extends OperationName>(name: N, input: OperationInput<N>, field?: string) {
  return [`${name}${field === undefined ? "" : ` with ${field}`}`, name, input, field] as const;
}

const SEND: OperationInput<"messages.send"> = {
  to: OTHER,
  chat_id: null,
  content: { kind: "text", text: "hello", preview: null },
  quoted_message_id: null,
  mentions: [],
  mention_all: false,
  reference: null,
  typing_ms: 0,
  message_id: null,
  source: "api",
};
const FILE = { token: "t", mimetype: "image/png", filename: null, size: 1 };
const VIDEO = { kind: "video", media: FILE, caption: null, view_once: false, as_note: false, as_gif: false } as const;

describe("a Cloud API number's limits", () => {
  it.each([
    refused("messages.edit", { chat_id: CHAT, message_id: "T1", text: "new" }),
    refused("messages.delete", { chat_id: CHAT, message_id: "T1", for_everyone: false }),
    refused("messages.star", { chat_id: CHAT, message_id: "T1", star: true }),
    refused("chats.unread", { chat_id: CHAT }),
    refused("groups.participants", { group_id: "120363000000000001@g.us", action: "add", participants: [CHAT] }),
    refused("groups.remove_picture", { group_id: "120363000000000001@g.us" }),
    refused("profile.remove_picture", {}),
    refused("contacts.lid", { phone: OTHER }),
    refused("instance.logout", {}),
    refused("instance.connect", { force_new_pairing: true }, "force_new_pairing"),
    refused("chats.typing", { chat_id: CHAT, state: "recording", duration_ms: 0 }, "state"),
    refused("chats.typing", { chat_id: CHAT, state: "paused", duration_ms: 0 }, "state"),
    refused("messages.send", { ...SEND, mentions: [OTHER] }, "mentions"),
    refused("messages.send", { ...SEND, mention_all: true }, "mention_all"),
    refused("messages.send", { ...SEND, typing_ms: 1 }, "typing_ms"),
    refused("messages.send", { ...SEND, message_id: "A".repeat(16) }, "message_id"),
    refused("messages.send", { ...SEND, to: null, chat_id: "120363000000000001@newsletter" }, "chat_id"),
    refused("messages.send", { ...SEND, content: { ...VIDEO, view_once: true } }, "view_once"),
    refused("messages.send", { ...SEND, content: { ...VIDEO, as_note: true } }, "as_note"),
    refused("messages.send", { ...SEND, content: { ...VIDEO, as_gif: true } }, "as_gif"),
    refused(
      "messages.send",
      { ...SEND, content: { kind: "text", text: "a", preview: { url: "https://a.example", title: "A", description: null, image: null } } },
      "preview",
    ),
    refused("messages.send", { ...SEND, content: { kind: "poll", poll: { question: "?", options: ["a", "b"], selectable_count: 1 } } }),
    refused("messages.send", { ...SEND, content: { kind: "forward_of", chat_id: CHAT, message_id: "T1" } }),
    refused("messages.send", { ...SEND, content: { kind: "disappearing", seconds: 86_400 } }),
  ])("refuse %s before anything is stored, requested or fetched", async (_title, name, input, field) => {
    const { connection, fetched } = await cloudNumber();
    const rows = () => connection.sql("SELECT (SELECT COUNT(*) FROM messages) AS messages, (SELECT COUNT(*) FROM outbox) AS sends");
    const before = await rows();
    const files = vi.fn<() => Promise<never>>();
    const answer = await connection.ask(name, input, { flags: { mutating: true, counted: false, cached: false } }, files);
    expect(answer).toEqual({
      ok: false,
      code: "not_supported",
      details: { kind: "cloud_api", ...(field === undefined ? {} : { field }) },
    });
    expect(files).not.toHaveBeenCalled();
    expect(fetched).not.toHaveBeenCalled();
    expect(await rows()).toEqual(before);
  });

  it("refuse a new group with participants, because people join by its link", async () => {
    const { connection } = await cloudNumber();
    const group = { subject: "Equipe", participants: [CHAT], description: null, join_approval: null };
    expect(await connection.ask("groups.create", group)).toEqual({
      ok: false,
      code: "limit_of_kind",
      details: { kind: "cloud_api", field: "participants" },
    });
  });

  it.each(["list", "buttons", "template"] as const)("allow sending %s, which a session refuses as not supported", async (kind) => {
    const contents = {
      list: { kind, body: "?", header: null, footer: null, button: "See", sections: [] },
      buttons: { kind, body: "?", header: null, footer: null, buttons: [] },
      template: { kind, name: "welcome", language: "en", components: null },
    };
    const content = contents[kind] as OperationInput<"messages.send">["content"];
    const { connection } = await TestConnection.connected();
    expect(await connection.ask("messages.send", { ...SEND, content })).toEqual({
      ok: false,
      code: "not_supported",
      details: { kind: "session" },
    });
    const cloud = await TestConnection.create({ kind: "cloud_api" });
    expect(await cloud.ask("messages.send", { ...SEND, content })).toMatchObject({ code: "instance_not_connected" });
  });
});
