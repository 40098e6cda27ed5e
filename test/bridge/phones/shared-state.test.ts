import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listChats, viewChat } from "#root/test-network/phone/chats.ts";
import { listBlocked, listContacts, setAbout, setBlocked, setPicture, viewContact } from "#root/test-network/phone/profile.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { linkedClient, type BaileysClient } from "../../support/bridge/baileys-client.ts";
import { eventually } from "../../support/eventually.ts";
import { chatOf, jidOf, must, openWorld, shown, type World } from "./world.ts";

describe("the shared state of a phone and its linked devices", () => {
  let world: World;
  let anas: SimulatedPhone;
  let bob: SimulatedPhone;
  let ana: BaileysClient;
  beforeAll(async () => {
    // Unmodified clients label chats by phone number instead of LID.
    world = await openWorld({ lidOnly: false });
    ({ phone: anas, client: ana } = await world.pair("Ana"));
    bob = await world.newPhone("Bob");
    must(await bob.sendText(chatOf(anas), "the first message"));
    await shown(anas, ({ text }) => text === "the first message");
  });
  afterAll(() => world.close());

  const chat = () => viewChat(anas.deps, chatOf(bob));
  const become = (what: string, is: () => boolean) => eventually(what, 60_000, is);
  const lastMessages = async () => {
    const { key, messageTimestamp } = await ana.saw("messages.upsert", ({ messages }) =>
      messages.find(({ message }) => message?.conversation === "the first message"),
    );
    return [{ key, messageTimestamp: messageTimestamp ?? 0 }];
  };

  it("shows on the phone what the linked device does to a chat", async () => {
    const modify = async (change: object) => ana.sock.chatModify({ lastMessages: await lastMessages(), ...change } as never, jidOf(bob));
    await modify({ archive: true });
    await become("archived", () => chat().archived);
    await modify({ pin: true });
    await become("pinned", () => chat().pinned);
    await modify({ mute: 1_999_999_999_000 });
    await become("muted", () => chat().muted_until === 1_999_999_999);
    await modify({ markRead: false });
    await become("marked unread", () => chat().marked_unread);
    await modify({ markRead: true });
    await become("read", () => !chat().marked_unread && chat().unread_count === 0);
    const [last] = await lastMessages();
    await ana.sock.star(jidOf(bob), [{ id: last?.key.id ?? "", fromMe: false }], true);
    await become("starred", () => anas.inbox().some(({ starred }) => starred));
    await modify({ archive: false });
    await modify({ pin: false });
    await modify({ mute: null });
    await become("not muted", () => chat().muted_until === null);
    expect(chat()).toMatchObject({ archived: false, pinned: false, marked_unread: false });
  });

  it("tells the linked device what the person does to a chat on the phone", async () => {
    const update = (what: (chat: { id?: string | null } & Record<string, unknown>) => boolean) => {
      return ana.saw("chats.update", (chats) => chats.find((one) => one.id === jidOf(bob) && what(one as never)));
    };
    await anas.modify({ archive: true, lastMessages: [] }, chatOf(bob));
    await update(({ archived }) => archived === true);
    await anas.modify({ pin: true }, chatOf(bob));
    await update(({ pinned }) => typeof pinned === "number");
    await anas.modify({ markRead: false, lastMessages: [] }, chatOf(bob));
    await update(({ unreadCount }) => unreadCount === -1);
    expect(chat()).toMatchObject({ archived: true, pinned: true, marked_unread: true });
  });

  it("includes labels, in both directions", async () => {
    await anas.modify({ addLabel: { id: "7", name: "VIP", color: 3 } });
    expect(await ana.saw("labels.edit", (label) => label.id === "7" && label)).toMatchObject({ name: "VIP", color: 3 });
    await anas.modify({ addChatLabel: { labelId: "7" } }, chatOf(bob));
    await ana.saw(
      "labels.association",
      ({ type, association }) => type === "add" && association.labelId === "7" && association.chatId === jidOf(bob),
    );
    expect(chat().labels).toEqual(["7"]);

    await ana.sock.addLabel(jidOf(bob), { id: "8", name: "Late payer", color: 1 });
    await become("the label", () => anas.deps.documents.get("label", "8")?.name === "Late payer");
    await ana.sock.addChatLabel(jidOf(bob), "8");
    await become("the label on the chat", () => chat().labels.includes("8"));
    await ana.sock.removeChatLabel(jidOf(bob), "7");
    await become("one label", () => chat().labels.join() === "8");
    await ana.sock.addLabel(jidOf(bob), { id: "8", name: "Late payer", color: 1, deleted: true });
    await become("the label is deleted", () => anas.deps.documents.get("label", "8")?.deleted === true);
  });

  it("goes on after both sides changed something at the same time", async () => {
    await Promise.all([
      anas.modify({ addLabel: { id: "21", name: "from the phone", color: 1 } }),
      ana.sock.addLabel(jidOf(bob), { id: "22", name: "from the device", color: 2 }),
    ]);
    await become("both labels", () => ["21", "22"].every((id) => anas.deps.documents.get("label", id) !== null));
    expect(await ana.saw("labels.edit", (label) => label.id === "21" && label)).toMatchObject({ name: "from the phone" });
  });

  it("keeps names of contacts, pictures, about texts and blocks", async () => {
    await ana.sock.addOrEditContact(jidOf(bob), { fullName: "Bob the baker", saveOnPrimaryAddressbook: true });
    await become("the name", () =>
      listContacts(anas.deps).some(({ phone, full_name }) => phone === bob.pn && full_name === "Bob the baker"),
    );
    expect(listChats(anas.deps)[0]?.name).toBe("Bob the baker");
    await anas.modify({ contact: { fullName: "Robert" } }, bob.pn);
    await ana.saw("contacts.upsert", (contacts) => contacts.find(({ name }) => name === "Robert"));
    await ana.sock.removeContact(jidOf(bob));
    await become("no name", () => viewContact(anas.deps, bob.pn)?.full_name === null);

    await bob.act((deps) => setPicture(deps, Buffer.from("a picture")));
    await bob.act((deps) => setAbout(deps, "baking"));
    expect(viewContact(anas.deps, bob.pn)).toMatchObject({ about: "baking", picture_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await ana.sock.profilePictureUrl(jidOf(bob), "image")).toContain("https://");

    await anas.act((deps) => setBlocked(deps, bob.pn, true));
    expect(listBlocked(anas.deps)).toEqual([bob.pn]);
    await ana.saw("blocklist.update", ({ type }) => type === "add");
    await anas.act((deps) => setBlocked(deps, bob.pn, false));
    expect(listBlocked(anas.deps)).toEqual([]);
  });

  it("removes on the phone what the linked device clears or deletes", async () => {
    const eva = await world.newPhone("Eva");
    const { message_id } = must(await eva.sendText(chatOf(anas), "to be deleted for me"));
    const seen = await ana.message(message_id);
    const { message_id: last } = must(await eva.sendText(chatOf(anas), "to be cleared"));
    await shown(anas, ({ text }) => text === "to be cleared");
    const { key, messageTimestamp } = await ana.message(last);
    await ana.sock.chatModify({ deleteForMe: { deleteMedia: false, key: seen.key, timestamp: Number(seen.messageTimestamp) } }, jidOf(eva));
    await become("one message", () => anas.inbox(chatOf(eva)).length === 1);
    // Messages later than this one would stay, so it must be the last.
    await ana.sock.chatModify({ delete: true, lastMessages: [{ key, messageTimestamp: messageTimestamp ?? 0 }] }, jidOf(eva));
    await become("the chat is gone", () => anas.inbox(chatOf(eva)).length === 0 && viewChat(anas.deps, chatOf(eva)).deleted_at !== null);
    expect(eva.inbox(chatOf(anas))).toHaveLength(2);
  });

  it("is complete on a device that is linked later", async () => {
    const zoe = await world.newPhone("Zoe");
    await zoe.modify({ addLabel: { id: "1", name: "New", color: 1 } });
    await zoe.modify({ addChatLabel: { labelId: "1" } }, chatOf(bob));
    const client = await linkedClient(world, (qr) => zoe.scan(qr));
    await client.saw("labels.edit", ({ name }) => name === "New");
    const { association } = await client.saw("labels.association", (change) => change.type === "add" && change);
    expect(association).toMatchObject({ chatId: jidOf(bob), labelId: "1" });
    await client.end();
  });
});
