import { expect, it } from "vitest";
import { chatHandlers } from "#root/durable-objects/connection/chats/handlers.ts";
import type { MessageDependencies } from "#root/durable-objects/connection/messages/dependencies.ts";
import { messageReadHandlers } from "#root/durable-objects/connection/messages/changes.ts";
import type { NetworkClient } from "#root/durable-objects/connection/session/network-client.ts";
import type { ChatsQuery } from "#root/durable-objects/connection/chats/chat-queries.ts";
import type { MessagesQuery } from "#root/durable-objects/connection/messages/message-queries.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { chatId } from "../../support/arrivals.ts";
import { fillChats } from "./fill.ts";
import { ALL_CHATS, ALL_MESSAGES, value, walk } from "./queries.ts";
import { ANA, BIA, GROUP, NOW, T0, ana, groupOf, withStores, sendRequest, text, upsert, type TestStores } from "./world.ts";

const chatIds = ({ stores }: TestStores, query: Partial<ChatsQuery> = {}) =>
  walk((cursor) => stores.chatQueries.list({ ...ALL_CHATS, ...query, cursor }))
    .flat()
    .map(({ chat_id }) => chat_id);
const texts = ({ stores }: TestStores, query: Partial<MessagesQuery> = {}) =>
  walk((cursor) => stores.messageQueries.list({ ...ALL_MESSAGES, chat_id: ANA, ...query, cursor }))
    .flat()
    .map(({ text }) => text);

const phone = (n: number): string => `55119${String(n).padStart(8, "0")}`;
const chat = (n: number): string => `${phone(n)}@c.us`;

it("the store lists chats pinned first, then by their newest message, not by arrival", () =>
  withStores((world) => {
    world.apply(
      upsert({ chat_id: chat(1), timestamp: T0 + 1 }),
      upsert({ chat_id: chat(3), timestamp: T0 + 3 }),
      upsert({ chat_id: chat(2), timestamp: T0 + 2 }),
      upsert({ chat_id: chat(3), timestamp: T0, text: "late" }, "offline"),
      { type: "chat.updated", chat_id: chat(1), pinned: true },
    );
    expect(chatIds(world)).toEqual([chat(1), chat(3), chat(2)]);
    expect(world.stores.chatQueries.get(chat(3))?.last_message?.timestamp).toBe(T0 + 3);
  }));

it("the store keeps a chat's place in the list when it is read or changed", () =>
  withStores((world) => {
    world.apply(
      upsert({ chat_id: chat(1), timestamp: T0 + 1 }),
      upsert({ chat_id: chat(2), timestamp: T0 + 2 }),
      { type: "chat.updated", chat_id: chat(1), unread_count: 0, timestamp: T0 + 9 },
      { type: "chat.updated", chat_id: chat(3), timestamp: T0, muted_until: -1 },
    );
    expect(chatIds(world)).toEqual([chat(2), chat(1), chat(3)]);
  }));

it("the store pages through all chats once, also those of the same second or without a message", () =>
  withStores((world) => {
    for (let n = 1; n <= 25; n++)
      world.apply(n <= 10 ? { type: "chat.updated", chat_id: chat(n), archived: false } : upsert({ chat_id: chat(n) }));
    const pages = walk((cursor) => world.stores.chatQueries.list({ ...ALL_CHATS, limit: 7, cursor }));
    expect(pages.map((page) => page.length)).toEqual([7, 7, 7, 4]);
    expect(new Set(pages.flat().map(({ chat_id }) => chat_id)).size).toBe(25);
  }));

it("the store keeps a cursor valid while other chats move", () =>
  withStores((world) => {
    for (let n = 1; n <= 6; n++) world.apply(upsert({ chat_id: chat(n), timestamp: T0 + n }));
    const first = value(world.stores.chatQueries.list({ ...ALL_CHATS, limit: 3 }));
    world.apply(upsert({ chat_id: chat(5), timestamp: T0 + 100 }), upsert({ chat_id: chat(9), timestamp: T0 + 101 }));
    const second = value(world.stores.chatQueries.list({ ...ALL_CHATS, limit: 3, cursor: first.next_cursor }));
    expect(second.items.map(({ chat_id }) => chat_id)).toEqual([chat(3), chat(2), chat(1)]);
  }));

it("the store lists unread chats in their order, many or few", () =>
  withStores((world) => {
    fillChats(world.sql, 1_100, (step) => step());
    const newestFirst = Array.from({ length: 1_100 }, (_, at) => chatId(1_099 - at));
    expect(chatIds(world, { unread: true })).toEqual(newestFirst);
    for (const id of newestFirst.slice(0, 200)) world.stores.chats.markSeen(id);
    expect(chatIds(world, { unread: true })).toEqual(newestFirst.slice(200));
    expect(chatIds(world, { unread: false })).toEqual(newestFirst.slice(0, 200));
  }));

it("the store filters chats by being archived, unread, their kind, a label and a part of their name", () =>
  withStores((world) => {
    world.apply(
      { type: "contact.updated", person: { phone: phone(1), lid: null }, name: "João Ávila", is_saved: true, from_history: true },
      upsert({ chat_id: chat(1), push_name: "jo", timestamp: T0 + 3 }),
      upsert({ chat_id: chat(2), push_name: "Maria", timestamp: T0 + 2 }),
      { type: "group.snapshot", group: groupOf("Família Ávila") },
      upsert({ chat_id: GROUP, sender: ana, timestamp: T0 + 1 }),
      upsert({ chat_id: "120363000000000009@newsletter", sender: null }),
      { type: "chat.updated", chat_id: chat(2), archived: true, unread_count: 0 },
      { type: "label.chat", label_id: "7", chat_id: GROUP, labelled: true, timestamp: T0 },
    );
    expect(chatIds(world, { archived: true })).toEqual([chat(2)]);
    expect(chatIds(world, { archived: false })).toEqual([chat(1), GROUP, "120363000000000009@newsletter"]);
    expect(chatIds(world, { unread: true })).toEqual([chat(1), GROUP, "120363000000000009@newsletter"]);
    expect(chatIds(world, { unread: false })).toEqual([chat(2)]);
    expect(chatIds(world, { kind: "group" })).toEqual([GROUP]);
    expect(chatIds(world, { kind: "direct", archived: true })).toEqual([chat(2)]);
    expect(chatIds(world, { kind: "channel" })).toHaveLength(1);
    expect(chatIds(world, { label_id: "7" })).toEqual([GROUP]);
    expect(chatIds(world, { label_id: "7", q: "fam" })).toEqual([GROUP]);
    expect(chatIds(world, { q: "avila" })).toEqual([chat(1), GROUP]);
    expect(chatIds(world, { q: "ÁVILA", kind: "group" })).toEqual([GROUP]);
    expect(chatIds(world, { q: phone(2).slice(2) })).toEqual([chat(2)]);
    expect(chatIds(world, { q: "ma" })).toEqual([chat(2)]);
    expect(chatIds(world, { q: "nobody" })).toEqual([]);
    expect(chatIds(world, { q: "c.us" })).toEqual([]);
    expect(chatIds(world, { q: phone(1).slice(0, 2) })).toEqual([chat(1), chat(2)]);
    expect(chatIds(world, { q: '"; DROP' })).toEqual([]);
    expect(chatIds(world, { q: "avi\0la" })).toEqual([]);
  }));

it("the store names a chat by the contact's saved name, else the group's subject, else the display name", () =>
  withStores(({ apply, stores }) => {
    apply(upsert(), { type: "group.snapshot", group: groupOf("Família") }, upsert({ chat_id: GROUP, sender: ana }));
    expect(stores.chatQueries.get(ANA)).toMatchObject({ name: "Ana", kind: "direct", person: ana });
    apply({ type: "contact.updated", person: ana, name: "Ana Souza", is_saved: true });
    expect(stores.chatQueries.get(ANA)?.name).toBe("Ana Souza");
    expect(stores.chatQueries.get(GROUP)).toMatchObject({ name: "Família", kind: "group", person: null });
    apply({ type: "group.updated", chat_id: GROUP, by: null, changed: { subject: "Família 2" }, timestamp: T0 });
    expect(stores.chatQueries.get(GROUP)?.name).toBe("Família 2");
  }));

it("the store changes only what a chat's update names", () =>
  withStores(({ apply, stores }) => {
    apply(
      upsert(),
      { type: "chat.updated", chat_id: ANA, muted_until: -1, archived: true, marked_unread: true },
      { type: "chat.updated", chat_id: ANA, pinned: true },
    );
    expect(stores.chatQueries.get(ANA)).toMatchObject({
      muted_until: -1,
      archived: true,
      marked_unread: true,
      pinned: true,
      unread_count: 1,
    });
    apply({ type: "chat.updated", chat_id: ANA, muted_until: null, archived: false });
    expect(stores.chatQueries.get(ANA)).toMatchObject({ muted_until: null, archived: false, pinned: true });
  }));

it("the store removes a deleted chat", () =>
  withStores((world) => {
    world.apply(upsert(), upsert({ chat_id: BIA }), { type: "chat.deleted", chat_id: ANA });
    expect(chatIds(world)).toEqual([BIA]);
    expect(texts(world)).toEqual([]);
  }));

it("the store keeps what a chat received after the last message that its deletion covers", () =>
  withStores((world) => {
    world.apply(
      upsert({ text: "known", message_id: "K1" }),
      { type: "message.reaction", chat_id: ANA, message_id: "K1", from_me: false, sender: ana, reaction: "x", timestamp: T0 },
      upsert({ text: "later", timestamp: T0 + 1 }),
      upsert({ chat_id: BIA, text: "other" }),
      { type: "chat.deleted", chat_id: ANA, through: T0 },
    );
    expect(texts(world)).toEqual(["later"]);
    expect(world.stores.chatQueries.get(ANA)).toMatchObject({ unread_count: 1, last_message: { text: "later" } });
    expect(world.sql.exec("SELECT * FROM reactions").toArray()).toEqual([]);
    world.apply({ type: "chat.deleted", chat_id: ANA, through: T0 });
    expect(texts(world)).toEqual(["later"]);
    world.apply({ type: "chat.deleted", chat_id: ANA, through: T0 + 1 });
    expect(chatIds(world)).toEqual([BIA]);
  }));

it("the store lists the messages of a chat newest first, page by page, each once", () =>
  withStores((world) => {
    for (let n = 0; n < 12; n++) world.apply(upsert({ text: String(n), timestamp: T0 + Math.floor(n / 4) }));
    world.apply(upsert({ chat_id: BIA, text: "other" }));
    const pages = walk((cursor) => world.stores.messageQueries.list({ ...ALL_MESSAGES, chat_id: ANA, limit: 5, cursor }));
    expect(pages.map((page) => page.map(({ text }) => text))).toEqual([
      ["11", "10", "9", "8", "7"],
      ["6", "5", "4", "3", "2"],
      ["1", "0"],
    ]);
  }));

it("the store filters messages by time, side, type, status and a part of their text", () =>
  withStores((world) => {
    world.apply(
      upsert({ text: "um", timestamp: T0 + 1 }),
      upsert({ text: "dois", timestamp: T0 + 2, from_me: true }, "own_device"),
      upsert({ text: "Três", timestamp: T0 + 3, type: "image" }),
      upsert({ text: "quatro", timestamp: T0 + 4 }),
    );
    expect(texts(world, { before: T0 + 4, after: T0 + 1 })).toEqual(["Três", "dois"]);
    expect(texts(world, { from_me: true })).toEqual(["dois"]);
    expect(texts(world, { from_me: false })).toEqual(["quatro", "Três", "um"]);
    expect(texts(world, { type: "image" })).toEqual(["Três"]);
    expect(texts(world, { q: "TR" })).toEqual(["quatro", "Três"]);
    expect(texts(world, { q: "TRES" })).toEqual(["Três"]);
    expect(texts(world, { q: "quátrô" })).toEqual(["quatro"]);
    expect(texts(world, { status: "sent" })).toEqual(["dois"]);
  }));

it("the store lists own sends over all chats, by reference and by status", () =>
  withStores((world) => {
    const { ownSends } = world;
    const requests = [1, 2, 3].map((n) => sendRequest(text(`envio ${n}`), { chat_id: chat(n) }));
    for (const [at, request] of requests.entries()) ownSends.accepted(request, "api", at < 2 ? "pedido" : null, NOW + at * 1000);
    world.apply(upsert({ text: "deles" }));
    ownSends.failed(requests[1]?.message_id ?? "", { code: "network_error" }, NOW);
    expect(texts(world, { chat_id: null })).toEqual(["envio 3", "envio 2", "envio 1"]);
    expect(texts(world, { chat_id: null, reference: "pedido" })).toEqual(["envio 2", "envio 1"]);
    expect(texts(world, { chat_id: null, status: "failed" })).toEqual(["envio 2"]);
    expect(texts(world, { chat_id: null, status: "pending", after: T0 })).toEqual(["envio 3"]);
    expect(texts(world, { chat_id: null, reference: "pedido", status: "pending" })).toEqual(["envio 1"]);
    expect(texts(world, { chat_id: null, from_me: false })).toEqual(["deles"]);
  }));

it("the store lists messages sent and received over all chats in one order, or only files or starred ones", () =>
  withStores((world) => {
    const file = {
      token: null,
      mimetype: "image/png",
      filename: null,
      size: 1,
      sha256: null,
      width: null,
      height: null,
      duration_seconds: null,
    };
    world.apply(
      upsert({ chat_id: ANA, timestamp: T0 + 1, text: "preço de ontem" }),
      upsert({ chat_id: BIA, timestamp: T0 + 2, text: "o preço", from_me: true, sender: null }, "own_device"),
      upsert({ chat_id: BIA, timestamp: T0 + 3, text: "outra coisa" }),
      upsert({ chat_id: ANA, timestamp: T0 + 4, text: "preço", type: "image", media: file }),
      upsert({ chat_id: ANA, timestamp: T0 + 5, text: "marcada", message_id: "STAR" }),
      { type: "message.starred", chat_id: ANA, message_id: "STAR", starred: true },
    );
    const both: Partial<MessagesQuery> = { chat_id: null, both_sides: true };
    expect(texts(world, { ...both, q: "preço" })).toEqual(["preço", "o preço", "preço de ontem"]);
    expect(texts(world, { ...both, limit: 1 })).toEqual(["marcada", "preço", "outra coisa", "o preço", "preço de ontem"]);
    expect([texts(world, { only: "files" }), texts(world, { only: "starred" })]).toEqual([["preço"], ["marcada"]]);
  }));

it("the store scans a bounded number of rows for a rare filter, and continues from there", () =>
  withStores((world) => {
    const { projection, stores } = world;
    const events: NetworkEvent[] = [upsert({ text: "agulha", timestamp: T0 })];
    for (let n = 1; n <= 6_000; n++) events.push(upsert({ text: "palha", timestamp: T0 + n }, "history"));
    projection.apply(
      events.map((event) => ({ key: null, event })),
      NOW,
    );
    const first = value(stores.messageQueries.list({ ...ALL_MESSAGES, chat_id: ANA, q: "agulha" }));
    expect(first.items).toEqual([]);
    expect(first.next_cursor).not.toBeNull();
    expect(texts(world, { q: "agulha" })).toEqual(["agulha"]);
  }));

// In order: not base64, not a list, too short, wrong value types.
it.each(["?", "e30", "WzFd", "WyJhIiwxLDJd", "WyJhIiwxXQ"])("the store refuses the cursor %s", (cursor) =>
  withStores(({ stores }) => {
    const refused = { ok: false, failure: { code: "validation_error", issues: [{ field: "cursor" }] } };
    expect(stores.chatQueries.list({ ...ALL_CHATS, cursor })).toMatchObject(refused);
    expect(stores.messageQueries.list({ ...ALL_MESSAGES, cursor })).toMatchObject(refused);
  }),
);

it("the store answers the operations of the contract", () =>
  withStores(async ({ apply, stores }) => {
    const event = upsert();
    apply(event);
    const context = { messageId: null, now: NOW } as Parameters<ReturnType<typeof chatHandlers>["chats.list"]>[1];
    const instance = { state: { phone: "5511900000001" } };
    const messages = messageReadHandlers({ stores, instance, waiting: { rows: { find: () => null } } } as unknown as MessageDependencies);
    expect(await chatHandlers({} as NetworkClient, stores)["chats.list"](ALL_CHATS, context)).toMatchObject({
      ok: true,
      value: { items: [{ chat_id: ANA }] },
    });
    expect(await messages["messages.list"]({ ...ALL_MESSAGES, chat_id: ANA }, context)).toMatchObject({
      ok: true,
      value: { items: [{ text: "Oi", sender: ana, recipient: { phone: "5511900000001", lid: null } }] },
    });
    const own = upsert({ message_id: "OWN", from_me: true, sender: null });
    apply(own);
    expect(await messages["messages.get"]({ message_id: "OWN", chat_id: null }, context)).toMatchObject({
      ok: true,
      value: { sender: { phone: "5511900000001", lid: null }, recipient: { phone: ana.phone } },
    });
    expect(await messages["messages.get"]({ message_id: event.message.message_id, chat_id: null }, context)).toMatchObject({
      ok: true,
    });
    expect(await messages["messages.get"]({ message_id: "none", chat_id: null }, context)).toEqual({
      ok: false,
      failure: { code: "message_not_found" },
    });
  }));

const longName = (n: number): string => `${n}ª Associação dos Moradores do Conjunto Habitacional Nova Esperança`;

it("the store continues after a contact with a long name, though it was renamed or deleted in between", () =>
  withStores(({ apply, sql, stores }) => {
    for (let n = 1; n <= 5; n++)
      apply({ type: "contact.updated", person: { phone: phone(n), lid: null }, name: longName(n), is_saved: true });
    apply({ type: "contact.updated", person: { phone: phone(9), lid: null }, name: "Zé", is_saved: true });
    const page = (cursor: string | null) => value(stores.contacts.list({ limit: 2, cursor, q: null, saved: null, blocked: null }));
    const names = (cursor: string | null) => page(cursor).items.map(({ name }) => name);
    const second = page(page(null).next_cursor);
    expect(second.items.map(({ name }) => name)).toEqual([longName(3), longName(4)]);
    apply({ type: "contact.updated", person: { phone: phone(4), lid: null }, name: null, is_saved: false });
    expect(names(second.next_cursor)).toEqual([longName(5), "Zé"]);
    sql.exec("DELETE FROM contacts WHERE contact_id = ?", chat(4));
    expect(names(second.next_cursor)).toEqual([longName(5), "Zé"]);
  }));
