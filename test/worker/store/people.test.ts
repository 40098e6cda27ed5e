import { expect, it } from "vitest";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { ALL_MESSAGES } from "./queries.ts";
import { ANA, GROUP, NOW, T0, ana, bia, withStores, status, upsert } from "./world.ts";

const LID = "99887766554433";
const LID_CHAT = `${LID}@lid`;
const byLid = { phone: null, lid: LID };
const both = { phone: ana.phone, lid: LID };
const mapped: NetworkEvent = { type: "lid.mapped", lid: LID, phone: ana.phone };

it("the store emits a person once, when first seen outside history", () =>
  withStores(({ emitted, stores }) => {
    expect(emitted(upsert())).toMatchObject([
      { type: "contact.created", person: ana, push_name: "Ana", name: null, source: "detected" },
      {},
    ]);
    expect(emitted(upsert(), upsert({ push_name: "Ana Maria" })).map(({ type }) => type)).toEqual(["message.received", "message.received"]);
    expect(stores.contacts.get(ANA)).toMatchObject({ push_name: "Ana Maria", is_saved: false });
  }));

it("the store emits nothing for people from history or from the first sync of the address book", () =>
  withStores(({ emitted }) => {
    expect(emitted({ type: "contact.updated", person: ana, name: "Ana Souza", from_history: true }, upsert({}, "history"))).toEqual([]);
    expect(emitted({ type: "contact.updated", person: ana, name: "Ana Souza", is_saved: true })).toEqual([]);
    expect(emitted(upsert()).map(({ type }) => type)).toEqual(["message.received"]);
  }));

it("the store emits a saved contact, and again after it was removed", () =>
  withStores(({ projection, stores }) => {
    const save: NetworkEvent = { type: "contact.updated", person: ana, name: "Ana Souza", is_saved: true };
    const remove: NetworkEvent = { type: "contact.updated", person: ana, name: null, is_saved: false };
    const take = (key: string, event: NetworkEvent, now: number) => projection.apply([{ key, event }], now).facts;
    const first = take("1", save, NOW);
    expect(first).toMatchObject([{ event: { type: "contact.created", name: "Ana Souza", source: "saved", timestamp: T0 } }]);
    expect(take("2", save, NOW + 1)).toEqual([]);
    expect(take("3", remove, NOW + 2)).toEqual([]);
    expect(stores.contacts.get(ANA)).toMatchObject({ name: null, is_saved: false });
    const second = take("4", save, NOW + 3);
    expect(second).toHaveLength(1);
    expect(second[0]?.key).not.toBe(first[0]?.key);
  }));

it("the store changes only what a contact's update names", () =>
  withStores(({ apply, stores }) => {
    apply(
      { type: "contact.updated", person: ana, name: "Ana", verified_name: "Loja", is_business: true },
      { type: "contact.updated", person: ana, is_blocked: true },
    );
    apply({ type: "contact.updated", person: ana, push_name: "aninha" });
    expect(stores.contacts.get(ANA)).toEqual({
      contact_id: ANA,
      person: ana,
      name: "Ana",
      push_name: "aninha",
      verified_name: "Loja",
      is_saved: false,
      is_business: true,
      is_blocked: true,
      picture: null,
      updated_at: NOW,
    });
  }));

it("the store merges the chat and contact of a person known first by LID, then by phone", () =>
  withStores(({ emitted, stores }) => {
    const first = upsert({ chat_id: LID_CHAT, text: "1" });
    const second = upsert({ chat_id: ANA, text: "2", timestamp: T0 + 1 });
    emitted(first, second, {
      type: "message.reaction",
      chat_id: LID_CHAT,
      message_id: first.message.message_id,
      from_me: true,
      sender: null,
      reaction: "👍",
      timestamp: T0,
    });
    expect(emitted(mapped)).toEqual([]);
    expect(
      stores.chatQueries.list({ limit: 50, cursor: null, archived: null, unread: null, kind: null, label_id: null, q: null }),
    ).toMatchObject({
      value: { items: [{ chat_id: ANA, unread_count: 2, last_message: { text: "2" } }] },
    });
    expect(stores.messages.lastMessages(ANA, 5).map(({ text }) => text)).toEqual(["2", "1"]);
    expect(stores.messageQueries.get(first.message.message_id, ANA)).toMatchObject({ sender: both, reactions: [{ reaction: "👍" }] });
    expect(stores.contacts.get(LID_CHAT)).toMatchObject({ contact_id: ANA, person: both });
  }));

it("the store emits the contact when its phone becomes known", () =>
  withStores(({ emitted }) => {
    expect(emitted(upsert({ chat_id: LID_CHAT }))).toMatchObject([
      { type: "contact.created", person: byLid },
      { type: "message.received", message: { chat_id: LID_CHAT } },
    ]);
    expect(emitted(mapped)).toMatchObject([{ type: "contact.created", person: both, push_name: "Ana", source: "detected" }]);
    expect(emitted(mapped, { ...mapped })).toEqual([]);
  }));

it("the store still finds a chat by its LID after its phone became known", () =>
  withStores(({ emitted, stores }) => {
    const event = upsert({ chat_id: LID_CHAT });
    emitted(event, mapped);
    const { message_id } = event.message;
    expect(stores.chatQueries.get(LID_CHAT)?.chat_id).toBe(ANA);
    expect(stores.messageQueries.get(message_id, LID_CHAT)?.chat_id).toBe(ANA);
    expect(stores.messageQueries.list({ ...ALL_MESSAGES, chat_id: LID_CHAT })).toMatchObject({
      value: { items: [{ message_id }] },
    });
    expect(emitted({ ...event, origin: "offline" })).toEqual([]);
  }));

it("the store shows phones in all events once the LID is known", () =>
  withStores(({ emitted }) => {
    const own = upsert({ chat_id: GROUP, from_me: true }, "own_device");
    emitted(mapped, own);
    const { message_id } = own.message;
    const events = emitted(
      upsert({ chat_id: LID_CHAT }),
      upsert({
        chat_id: GROUP,
        sender: byLid,
        mentions: [byLid],
        quoted: { message_id, from: byLid, from_me: false, text: null, type: "text" },
      }),
      status(message_id, "read", { chat_id: GROUP, participant: byLid }),
      { type: "message.reaction", chat_id: LID_CHAT, message_id: "x", from_me: false, sender: byLid, reaction: "👍", timestamp: T0 },
      {
        type: "group.participants",
        chat_id: GROUP,
        action: "join",
        participants: [{ person: byLid, is_me: false }],
        by: byLid,
        reason: "added",
        timestamp: T0,
      },
    );
    expect(JSON.stringify(events)).not.toContain("@lid");
    expect(JSON.stringify(events)).not.toContain('"phone":null');
    expect(events).toMatchObject([
      {},
      { message: { chat_id: ANA } },
      { message: { sender: both } },
      { participant: both },
      { sender: both },
      { by: both },
    ]);
  }));

it("the store learns a LID's phone from any message that has both", () =>
  withStores(({ emitted, stores }) => {
    emitted(upsert({ chat_id: LID_CHAT }), upsert({ chat_id: ANA, sender: both }));
    expect(stores.lids.phoneOf(LID)).toBe(ana.phone);
    expect(stores.lids.lidOf(ana.phone)).toBe(LID);
    expect(stores.chatQueries.get(ANA)?.unread_count).toBe(2);
    expect(stores.chatQueries.get(ANA)?.person).toEqual(both);
  }));

it("the store emits a message once though it was stored under LID and arrives again by phone", () =>
  withStores(({ emitted, stores }) => {
    const event = upsert({ chat_id: LID_CHAT });
    emitted(event);
    const again = { ...event, message: { ...event.message, chat_id: ANA, sender: both } };
    expect(emitted(again).map(({ type }) => type)).not.toContain("message.received");
    expect(stores.messages.lastMessages(ANA, 5)).toHaveLength(1);
  }));

it("the store merges two chats of one person that both have the same message", () =>
  withStores(({ emitted, stores }) => {
    const event = upsert({ chat_id: LID_CHAT });
    emitted(event, { ...event, origin: "history", message: { ...event.message, chat_id: ANA, sender: ana } }, mapped);
    expect(stores.messages.lastMessages(ANA, 5)).toHaveLength(1);
    expect(stores.chatQueries.get(ANA)?.last_message?.message_id).toBe(event.message.message_id);
    expect(emitted({ ...event, origin: "offline", message: { ...event.message, chat_id: ANA, sender: ana } })).toEqual([]);
  }));

it("the store moves labels, subscriptions and group membership from the LID to the phone", () =>
  withStores(({ emitted, apply, stores }) => {
    stores.presences.subscribe(LID_CHAT);
    apply(
      { type: "label.chat", label_id: "1", chat_id: LID_CHAT, labelled: true, timestamp: T0 },
      {
        type: "group.participants",
        chat_id: GROUP,
        action: "join",
        participants: [
          { person: byLid, is_me: false },
          { person: bia, is_me: false },
        ],
        by: null,
        reason: null,
        timestamp: T0,
      },
    );
    emitted(mapped);
    expect(stores.presences.subscriptions()).toEqual([ANA]);
    apply(upsert());
    expect(stores.chatQueries.get(ANA)?.label_ids).toEqual(["1"]);
    expect(
      stores.groups
        .get(GROUP)
        ?.participants?.map(({ person }) => person.phone)
        .toSorted(),
    ).toEqual([bia.phone, ana.phone].toSorted());
  }));

it("the store removes a reaction that was stored before the person's phone became known", () =>
  withStores(({ emitted, stores }) => {
    const own = upsert({ chat_id: GROUP, from_me: true }, "own_device");
    const { message_id } = own.message;
    const reacts = (reaction: string, timestamp: number): NetworkEvent => ({
      type: "message.reaction",
      chat_id: GROUP,
      message_id,
      from_me: false,
      sender: byLid,
      reaction,
      timestamp,
    });
    emitted(own, reacts("👍", T0), mapped, reacts("", T0 + 1));
    expect(stores.messageQueries.get(message_id, GROUP)?.reactions).toEqual([]);
    emitted(reacts("❤️", T0 + 2));
    expect(stores.messageQueries.get(message_id, GROUP)?.reactions).toMatchObject([{ reaction: "❤️", sender: both }]);
  }));

it("the store applies a deletion that arrived by LID to the message that arrives later by phone", () =>
  withStores(({ emitted, stores }) => {
    const late = upsert({ chat_id: ANA, sender: both });
    const { message_id } = late.message;
    emitted(
      { type: "message.deleted", chat_id: LID_CHAT, message_id, from_me: false, author: byLid, by: byLid, timestamp: T0 },
      mapped,
      late,
    );
    expect(stores.messageQueries.get(message_id, ANA)).toMatchObject({ text: null, deleted_at: NOW });
  }));

it("the store does not restore a message that its owner removed before the phone became known", () =>
  withStores(({ emitted, stores }) => {
    const first = upsert({ chat_id: LID_CHAT });
    emitted(first, { type: "chat.deleted", chat_id: LID_CHAT }, mapped, { ...first, origin: "offline" });
    expect(stores.messageQueries.get(first.message.message_id, ANA)).toBeNull();
  }));

it("the store lists contacts by name, those without one last, and finds them by any part of name or phone", () =>
  withStores(({ apply, stores }) => {
    const contact = (phone: string, name: string | null, saved: boolean): NetworkEvent => ({
      type: "contact.updated",
      person: { phone, lid: null },
      name,
      is_saved: saved,
      from_history: true,
    });
    apply(
      contact("5511900000003", "Zeca", true),
      contact("5511900000001", null, false),
      contact("5511900000002", "ângela", true),
      contact("5511900000004", "Bruno", false),
    );
    const list = (query: Partial<Parameters<typeof stores.contacts.list>[0]>) => {
      const result = stores.contacts.list({ limit: 50, cursor: null, q: null, saved: null, blocked: null, ...query });
      if (!result.ok) throw new Error(result.failure.code);
      return { names: result.value.items.map(({ name }) => name), next: result.value.next_cursor };
    };
    const first = list({ limit: 2 });
    const second = list({ limit: 2, cursor: first.next });
    expect(new Set([...first.names, ...second.names])).toEqual(new Set(["Bruno", "Zeca", "ângela", null]));
    expect(second.names.at(-1)).toBeNull();
    expect(second.next).toBeNull();
    expect(list({ saved: true }).names).toEqual(["Zeca", "ângela"]);
    expect(list({ q: "ANGEL" }).names).toEqual(["ângela"]);
    expect(list({ q: "00000004" }).names).toEqual(["Bruno"]);
    expect(list({ q: "ze" }).names).toEqual(["Zeca"]);
  }));
