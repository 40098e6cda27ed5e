import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endCall, placeCall } from "#root/test-network/phone/calls.ts";
import { setBlocked } from "#root/test-network/phone/profile.ts";
import { showDoing } from "#root/test-network/phone/presence.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { ringingCallsOf } from "#root/session-bridge/networks/baileys/memory/ringing-calls.ts";
import { presenceSubscriptionsOf } from "#root/session-bridge/networks/baileys/memory/presence.ts";
import type { SendContent } from "@gateway/protocol/content.ts";
import { eventually } from "../../support/eventually.ts";
import type { Session } from "./session.ts";
import { chatOf, must, openWorld, shown, type World } from "./world.ts";

const text = (words: string): SendContent => ({ kind: "text", text: words, preview: null });

describe("a person known by LID only", () => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;
  let lid: string;
  /** Makes the network hide phone numbers. */
  let discreet = true;

  beforeAll(async () => {
    world = await openWorld({ addressing: "lid" });
    const enqueue = world.network.delivery.enqueue.bind(world.network.delivery);
    world.network.delivery.enqueue = (device, stanza) => {
      const attrs = Object.fromEntries(Object.entries(stanza.attrs).filter(([name]) => name !== "sender_pn"));
      enqueue(device, discreet && device.id !== 0 ? { ...stanza, attrs } : stanza);
    };
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
    lid = world.network.directory.account(carla.pn)?.lid ?? "";
  });
  afterAll(() => world.close());

  it("is reported without a phone, and can be answered", async () => {
    const { message_id } = must(await carla.sendText(anna.pn, "guess who"));
    expect(await session.received(message_id)).toMatchObject({ chat_id: `${lid}@lid`, sender: { phone: null, lid } });
    const { id, outcome } = await session.sendAndSettle(`${lid}@lid`, text("no idea"));
    expect(outcome).toMatchObject({ kind: "acknowledged", message: { chat_id: `${lid}@lid` } });
    await shown(carla, (record) => record.message_id === id);
    await session.waitForEvent("message.status", (event) => event.message_id === id && event.status === "delivered");
  });

  it("is mapped to the phone once it is known, exactly once", async () => {
    discreet = false;
    const { message_id } = must(await carla.sendText(anna.pn, "it was me"));
    expect(await session.received(message_id)).toMatchObject({ chat_id: chatOf(carla), sender: { phone: carla.pn, lid } });
    expect(session.eventsOf("lid.mapped").filter((event) => event.lid === lid)).toEqual([{ type: "lid.mapped", lid, phone: carla.pn }]);
    const at = session.events.findIndex(({ event }) => event.type === "lid.mapped" && event.lid === lid);
    const next = session.events.findIndex(({ event }) => event.type === "message.upsert" && event.message.message_id === message_id);
    expect(at).toBeLessThan(next);
    discreet = true;
    const again = must(await carla.sendText(anna.pn, "still me"));
    expect(await session.received(again.message_id)).toMatchObject({ chat_id: chatOf(carla) });
    // A reply to the LID reaches the same person, in the merged chat.
    expect((await session.sendAndSettle(`${lid}@lid`, text("hello Carla"))).outcome).toMatchObject({
      kind: "acknowledged",
      message: { chat_id: chatOf(carla) },
    });
  });

  it("is never mapped to our own number by the copy of an own message", async () => {
    discreet = false;
    const dora = await world.newPhone("Dora");
    const account = world.network.directory.account(dora.pn);
    await session.sock.signalRepository.lidMapping.storeLIDPNMappings([{ lid: `${account?.lid}@lid`, pn: `${anna.pn}@s.whatsapp.net` }]);
    const { message_id } = must(await dora.sendText(anna.pn, "I am Dora"));
    expect(await session.received(message_id)).toMatchObject({ chat_id: chatOf(dora), sender: { phone: dora.pn } });
    expect(session.auth.kept.get(`lid-mapping|${account?.lid}_reverse`)).toBe(dora.pn);
  });
});

describe("other people", () => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;

  beforeAll(async () => {
    world = await openWorld();
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
  });
  afterAll(() => world.close());

  it("are reported typing, recording and pausing, once subscribed to", async () => {
    await session.sock.presenceSubscribe(`${carla.pn}@s.whatsapp.net`);
    carla.showOnline(true);
    await carla.act((phone) => showDoing(phone, anna.pn, "typing"));
    // Without the gateway's own subscription, nothing is reported.
    const { message_id } = must(await carla.sendText(anna.pn, "I typed"));
    await session.received(message_id);
    expect(session.eventsOf("presence")).toEqual([]);
    await presenceSubscriptionsOf(session.networkSession).subscribe(session.ctx, chatOf(carla));
    for (const doing of ["typing", "recording", "paused"] as const) {
      await carla.act((phone) => showDoing(phone, anna.pn, doing));
      await session.waitForEvent(
        "presence",
        (event) => event.presence === doing && event.chat_id === chatOf(carla) && event.person.phone === carla.pn,
      );
    }
    carla.showOnline(false);
    const gone = await session.waitForEvent("presence", (event) => event.presence === "offline");
    expect(gone.last_seen).toBeGreaterThan(1_700_000_000);
    carla.showOnline(true);
    await session.waitForEvent("presence", (event) => event.presence === "online");
  });

  it("call, and hang up", async () => {
    const callId = await carla.act((phone) => placeCall(phone, anna.pn, true));
    const wanted = (status: string) => (event: { call_id: string; status: string }) => event.call_id === callId && event.status === status;
    expect(await session.waitForEvent("call", wanted("received"))).toMatchObject({
      chat_id: chatOf(carla),
      from: { phone: carla.pn },
      is_video: true,
      is_group: false,
    });
    expect(ringingCallsOf(session.networkSession).find(callId)).toBeDefined();
    await carla.act((phone) => endCall(phone, callId));
    await session.waitForEvent("call", wanted("ended"));
    expect(session.eventsOf("message.upsert").some(({ message }) => message.message_id === callId)).toBe(false);
  });

  it("have a push name, and a name in the address book", async () => {
    must(await carla.sendText(anna.pn, "I have a name"));
    await session.waitForEvent("contact.updated", (event) => event.person.phone === carla.pn && event.push_name === "Carla");
    must(await carla.sendText(anna.pn, "the same name"));
    await session.waitForEvent("message.upsert", ({ message }) => message.text === "the same name");
    expect(
      session
        .eventsOf("contact.updated")
        .filter((event) => event.person.phone === carla.pn && event.push_name !== undefined && !event.from_history),
    ).toHaveLength(1);
    await anna.modify({ contact: { fullName: "Carla Costa", firstName: "Carla" } }, chatOf(carla));
    await session.waitForEvent(
      "contact.updated",
      (event) => event.person.phone === carla.pn && event.name === "Carla Costa" && event.is_saved === true,
    );
  });

  it("are blocked and unblocked", async () => {
    for (const blocked of [true, false]) {
      await anna.act((phone) => setBlocked(phone, carla.pn, blocked));
      const event = await session.waitForEvent("contact.updated", (event) => event.is_blocked === blocked);
      expect(event.person.phone).toBe(carla.pn);
    }
  });

  it("post statuses, unless they are ignored", async () => {
    const { message_id } = must(await carla.sendText("status@broadcast", "my day"));
    expect(await session.received(message_id)).toMatchObject({ chat_id: "status@broadcast", sender: { phone: carla.pn }, text: "my day" });
  });

  it("have chats that another device archives, pins, mutes, stars, deletes and labels", async () => {
    const { message_id } = must(await carla.sendText(anna.pn, "last one"));
    await session.received(message_id);
    const chat = chatOf(carla);
    const last = [{ key: { remoteJid: `${carla.pn}@s.whatsapp.net`, id: message_id, fromMe: false }, messageTimestamp: 1 }];
    const updated = (
      suits: (event: {
        chat_id: string;
        archived?: boolean | undefined;
        pinned?: boolean | undefined;
        muted_until?: number | null | undefined;
        marked_unread?: boolean | undefined;
        unread_count?: number | undefined;
      }) => boolean,
    ) => session.waitForEvent("chat.updated", (event) => event.chat_id === chat && suits(event));
    await anna.modify({ archive: true, lastMessages: last }, chat);
    await updated(({ archived }) => archived === true);
    await anna.modify({ pin: true }, chat);
    await updated(({ pinned }) => pinned === true);
    await anna.modify({ pin: false }, chat);
    await updated(({ pinned }) => pinned === false);
    const until = Date.now() + 3_600_000;
    await anna.modify({ mute: until }, chat);
    await updated(({ muted_until }) => muted_until === Math.floor(until / 1000));
    await anna.modify({ mute: null }, chat);
    await updated(({ muted_until }) => muted_until === null);
    await anna.modify({ markRead: false, lastMessages: last }, chat);
    await updated(({ marked_unread }) => marked_unread === true);
    await anna.modify({ markRead: true, lastMessages: last }, chat);
    await updated(({ unread_count, marked_unread }) => unread_count === 0 && marked_unread === false);
    await anna.modify({ star: { messages: [{ id: message_id, fromMe: false }], star: true } }, chat);
    await session.waitForEvent("message.starred", (event) => event.message_id === message_id && event.chat_id === chat && event.starred);
    await anna.modify({ addLabel: { id: "7", name: "VIP", color: 3 } });
    expect(await session.waitForEvent("label.updated", ({ label_id }) => label_id === "7")).toMatchObject({
      name: "VIP",
      color: 3,
      predefined: false,
    });
    await anna.modify({ addChatLabel: { labelId: "7" } }, chat);
    await session.waitForEvent("label.chat", (event) => event.chat_id === chat && event.labelled);
    await anna.modify({ addMessageLabel: { labelId: "7", messageId: message_id } }, chat);
    await session.waitForEvent("label.message", (event) => event.message_id === message_id && event.labelled);
    await anna.modify({ removeChatLabel: { labelId: "7" } }, chat);
    await session.waitForEvent("label.chat", (event) => event.chat_id === chat && !event.labelled);
    await anna.modify({ addLabel: { id: "7", name: "VIP", color: 3, deleted: true } });
    await session.waitForEvent("label.deleted", ({ label_id }) => label_id === "7");
    await anna.modify({ delete: true, lastMessages: last }, chat);
    const deleted = await session.waitForEvent("chat.deleted", ({ chat_id }) => chat_id === chat);
    expect(deleted.through).toBe(last[0]?.messageTimestamp);
  });

  it("are read on the phone, which resets the unread count", async () => {
    const { message_id } = must(await carla.sendText(anna.pn, "read me there"));
    await session.received(message_id);
    const before = session.eventsOf("chat.updated").length;
    await anna.read(chatOf(carla));
    await eventually("the counter", 60_000, () =>
      session
        .eventsOf("chat.updated")
        .slice(before)
        .some((event) => event.chat_id === chatOf(carla) && event.unread_count === 0),
    );
  });
});
