import { expect, it } from "vitest";
import { ANA, BIA, GROUP, NOW, T0, ana, bia, image, withStores, message, newId, types, upsert } from "./world.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

it("the store emits a received message, and stores it", () =>
  withStores(({ projection, stores }) => {
    const event = upsert({ text: "Bom dia" });
    const { facts } = projection.apply([{ key: "k", event }], NOW);
    const { raw: _raw, ...shown } = event.message;
    const record = {
      ...shown,
      recipient: null,
      status: null,
      failure: null,
      source: null,
      reference: null,
      starred: false,
      reactions: [],
      edited_at: null,
      deleted_at: null,
      timeline: { accepted_at: null, delivered_at: null, read_at: null, played_at: null },
    };
    expect(facts).toContainEqual({
      key: `received|${ANA}|${event.message.message_id}`,
      // The sender's event comes first.
      at: T0 * 1000 + 1,
      event: { type: "message.received", message: record },
    });
    expect(stores.messageQueries.get(event.message.message_id, null)).toEqual(record);
    expect(stores.messages.raw(ANA, event.message.message_id)).toBe("cmF3");
  }));

it("the store keeps everything a message can carry", () =>
  withStores(({ apply, stores }) => {
    const full = upsert({
      type: "image",
      media: image,
      location: { latitude: 1.5, longitude: -2, name: "x", address: null },
      contacts: [{ full_name: "Bia", phone: "5511977776666", vcard: "BEGIN" }],
      poll: { question: "q", options: ["a", "b"], selectable_count: 1 },
      selected: { row_id: "1", title: "um" },
      quoted: { message_id: "Q", from: bia, from_me: false, text: "antes", type: "text" },
      mentions: [bia],
      forwarded: true,
      view_once: true,
      preview: { url: "https://a.example", title: "t", description: "d", thumbnail: "/9j/" },
    });
    apply(full);
    const { raw: _raw, ...shown } = full.message;
    expect(stores.messageQueries.get(full.message.message_id, ANA)).toMatchObject(shown);
  }));

it("the store keeps the link preview of a text that has nothing else", () =>
  withStores(({ apply, stores }) => {
    const preview = { url: "https://a.example", title: "t", description: null, thumbnail: null };
    const event = upsert({ text: "https://a.example", preview });
    apply(event, upsert());
    const { message_id } = event.message;
    expect(stores.messageQueries.get(message_id, ANA)?.preview).toEqual(preview);
    apply({ type: "message.deleted", chat_id: ANA, message_id, from_me: false, author: ana, by: ana, timestamp: T0 + 1 });
    expect(stores.messageQueries.get(message_id, ANA)?.preview).toBeUndefined();
  }));

it("the store emits a message once, however often the bridge reports it", () =>
  withStores(({ projection, stores }) => {
    const event = upsert();
    expect(types(projection.apply([{ key: "k", event }], NOW).facts)).toContain("message.received");
    expect(
      projection.apply(
        [
          { key: "k", event },
          { key: "another key", event: { ...event, origin: "offline" } },
        ],
        NOW,
      ).facts,
    ).toEqual([]);
    expect(stores.chatQueries.get(ANA)?.unread_count).toBe(1);
  }));

it("the store emits messages that were queued while the number was offline", () =>
  withStores(({ emitted }) => {
    expect(emitted(upsert({}, "offline")).map(({ type }) => type)).toContain("message.received");
  }));

it("the store keeps history without an event", () =>
  withStores(({ emitted, stores }) => {
    const mine = upsert({ from_me: true }, "history");
    const theirs = upsert({}, "history");
    expect(emitted(mine, theirs)).toEqual([]);
    expect(stores.messageQueries.get(theirs.message.message_id, null)?.text).toBe("Oi");
    expect(stores.messageQueries.get(mine.message.message_id, null)).toMatchObject({ status: "sent", source: "phone" });
    expect(stores.chatQueries.get(ANA)?.unread_count).toBe(0);
  }));

it("the store emits a live message that history has brought before", () =>
  withStores(({ emitted, stores }) => {
    const event = upsert({}, "history");
    emitted(event);
    expect(emitted({ ...event, origin: "offline" }).map(({ type }) => type)).toEqual(["message.received"]);
    expect(emitted({ ...event, origin: "offline" })).toEqual([]);
    expect(stores.chatQueries.get(ANA)?.unread_count).toBe(1);
  }));

it("the store completes a message that could not be decrypted, and emits it again", () =>
  withStores(({ apply, stores }) => {
    const unreadable = upsert({ type: "undecrypted", text: null, raw: null });
    const first = apply(unreadable).facts.find(({ event }) => event.type === "message.received");
    const readable = { ...unreadable, message: { ...unreadable.message, type: "text", text: "Agora sim", raw: "cmF3" } };
    const second = apply(readable).facts;
    expect(types(second)).toEqual(["message.received"]);
    expect(second[0]?.key).not.toBe(first?.key);
    expect(apply(readable, unreadable).facts).toEqual([]);
    expect(stores.messageQueries.get(unreadable.message.message_id, null)?.text).toBe("Agora sim");
    expect(stores.chatQueries.get(ANA)?.unread_count).toBe(1);
  }));

it("the store identifies a message by sender side, chat and id together", () =>
  withStores(({ emitted }) => {
    const message_id = newId();
    const received = emitted(
      upsert({ message_id }),
      upsert({ message_id, chat_id: BIA }),
      upsert({ message_id, chat_id: GROUP, sender: ana }),
    );
    expect(received.filter(({ type }) => type === "message.received")).toHaveLength(3);
  }));

it("the store does not store again what the owner removed when it is delivered again", () =>
  withStores(({ emitted, stores }) => {
    const event = upsert();
    emitted(event, { type: "chat.cleared", chat_id: ANA });
    expect(emitted({ ...event, origin: "offline" })).toEqual([]);
    expect(stores.messageQueries.get(event.message.message_id, null)).toBeNull();
    expect(stores.chatQueries.get(ANA)?.last_message).toBeNull();
  }));

it("the store shows with a chat who wrote its last message, and the name of its file", () =>
  withStores(({ apply, stores }) => {
    apply(upsert({ chat_id: GROUP, sender: ana, push_name: "Ana", text: null, type: "document", media: { ...image, filename: "a.pdf" } }));
    expect(stores.chatQueries.get(GROUP)?.last_message).toMatchObject({ push_name: "Ana", filename: "a.pdf" });
    apply(upsert({ chat_id: GROUP, sender: bia, push_name: null, text: "Oi" }));
    expect(stores.chatQueries.get(GROUP)?.last_message).toMatchObject({ push_name: null, filename: null, deleted: false });
  }));

it("the store shows with a chat that its last message was deleted", () =>
  withStores(({ apply, stores }) => {
    const event = upsert({ text: "Oi" });
    apply(event);
    const { message_id } = event.message;
    apply({ type: "message.deleted", chat_id: ANA, message_id, from_me: false, author: ana, by: ana, timestamp: T0 + 1 });
    expect(stores.chatQueries.get(ANA)?.last_message).toMatchObject({ text: null, deleted: true });
  }));

it("the store counts unread messages of others until the owner has seen them on any device", () =>
  withStores(({ apply, stores }) => {
    apply(upsert(), upsert({}, "offline"), upsert({ from_me: true }, "own_device"));
    expect(stores.chatQueries.get(ANA)?.unread_count).toBe(2);
    apply({ type: "chat.updated", chat_id: ANA, unread_count: 0 });
    expect(stores.chatQueries.get(ANA)?.unread_count).toBe(0);
    apply(upsert());
    stores.chats.markSeen(ANA);
    expect(stores.chatQueries.get(ANA)?.unread_count).toBe(0);
  }));

it("the store adds media whose bytes arrive after the message, or before it", () =>
  withStores(({ apply, stores }) => {
    const late = upsert({ type: "image", media: { ...image, token: null } });
    apply(late, { type: "message.media", chat_id: ANA, message_id: late.message.message_id, media: image });
    expect(stores.messageQueries.get(late.message.message_id, null)?.media).toEqual(image);
    const early = upsert({ type: "image", media: { ...image, token: null } });
    apply({ type: "message.media", chat_id: ANA, message_id: early.message.message_id, media: image }, early);
    expect(stores.messageQueries.get(early.message.message_id, null)?.media).toEqual(image);
  }));

it("the store answers as many of the newest status posts as one answer can hold", () =>
  withStores(({ apply, stores }) => {
    for (let n = 1; n <= 3; n += 1)
      apply(upsert({ chat_id: "status@broadcast", sender: ana, text: "z".repeat(400_000), timestamp: T0 + n }));
    expect(stores.statusPosts.received(10, NOW).map(({ timestamp }) => timestamp)).toEqual([T0 + 3, T0 + 2]);
  }));

it("the store keeps status posts apart from messages, for a day", () =>
  withStores(({ emitted, stores }) => {
    const post = upsert({ chat_id: "status@broadcast", sender: ana, text: "Hoje" });
    expect(emitted(post)).toEqual([]);
    expect(stores.statusPosts.received(10, NOW)).toEqual([
      {
        background: null,
        message_id: post.message.message_id,
        sender: ana,
        push_name: "Ana",
        type: "text",
        text: "Hoje",
        media: null,
        timestamp: T0,
        expires_at: (T0 + 86_400) * 1000,
      },
    ]);
    expect(stores.statusPosts.received(10, NOW + DAY_MS)).toEqual([]);
    expect(stores.chatQueries.get("status@broadcast")).toBeNull();
    const { message_id, chat_id } = post.message;
    const taken = { type: "message.deleted", chat_id, message_id, from_me: false, author: ana, by: ana, timestamp: T0 + 1 } as const;
    expect(emitted(taken)).toEqual([]);
    expect(stores.statusPosts.received(10, NOW)).toEqual([]);
  }));

it("the store finds the newest messages of a chat for the range of a change", () =>
  withStores(({ apply, stores }) => {
    const first = message({ chat_id: GROUP, sender: ana });
    const second = message({ chat_id: GROUP, from_me: true, timestamp: T0 + 1 });
    apply({ type: "message.upsert", origin: "live", message: first }, { type: "message.upsert", origin: "own_device", message: second });
    expect(stores.messages.lastMessages(GROUP, 5).map(({ ref }) => ref)).toEqual([
      { chat_id: GROUP, message_id: second.message_id, from_me: true, participant: null },
      { chat_id: GROUP, message_id: first.message_id, from_me: false, participant: ana },
    ]);
    expect(stores.messages.lastReceived(GROUP, 5).map(({ ref }) => ref.message_id)).toEqual([first.message_id]);
  }));

it("the store keeps all of a message but an encoding too large for a row", () =>
  withStores(({ apply, stores }) => {
    const huge = upsert({ raw: "A".repeat(2_000_000) });
    apply(huge);
    expect(stores.messages.raw(ANA, huge.message.message_id)).toBeNull();
    expect(stores.messageQueries.get(huge.message.message_id, null)?.text).toBe("Oi");
  }));
