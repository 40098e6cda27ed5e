// People reached by their LID: known only by LID, moved to a LID, or hiding their number. Customers see phone numbers.
import type { BinaryNode } from "baileys";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { SendContent } from "@gateway/protocol/content.ts";
import { readRaw } from "#root/session-bridge/networks/baileys/content/unwrap.ts";
import { fetchSent } from "#root/session-bridge/networks/baileys/durability/sent-messages.ts";
import { loseSessions } from "#root/test-network/phone/messages/retries.ts";
import { eventually } from "../../support/eventually.ts";
import type { Session } from "./session.ts";
import { chatOf, must, openWorld, shown, type World } from "./world.ts";

const WAIT_MS = 60_000;
const text = (words: string): SendContent => ({ kind: "text", text: words, preview: null });
const phoneJid = ({ pn }: { pn: string }): string => `${pn}@s.whatsapp.net`;

let world: World;
let anna: SimulatedPhone, friend: SimulatedPhone;
let session: Session;
let lidJid: string;
/** The session's messages as the network received them, in order. */
let written: BinaryNode[] = [];
/** Runs before the network has handled the next message. */
let inFlight: (() => void) | null = null;

beforeAll(async () => {
  world = await openWorld();
  ({ phone: anna, session } = await world.pair("Anna"));
  const { faults } = world.network;
  const onSend = faults.onSend.bind(faults);
  faults.onSend = (device, message) => {
    if (device.id !== 0 && device.account.pn === anna.pn) {
      written.push(message);
      inFlight?.();
      inFlight = null;
    }
    return onSend(device, message);
  };
});
beforeEach(async () => {
  friend = await world.newPhone("Carla");
  lidJid = world.network.directory.account(friend.pn)?.lidJid ?? "";
  written = [];
});
afterAll(() => world.close());

const send = async (words: string) => session.sendAndSettle(chatOf(friend), text(words));
/** Our own phone's chats that contain this name, number or LID. */
const chatsOnOwnPhone = (): string[] => [
  ...new Set(
    anna
      .inbox()
      .map(({ chat_id }) => chat_id)
      .filter((id) => id === chatOf(friend) || id === lidJid),
  ),
];
describe("a contact who is reached by LID alone", () => {
  it("gets messages by LID, which are acknowledged and appear in one chat on the own phone", async () => {
    const { id, outcome } = await send("hello");
    expect(outcome).toMatchObject({ kind: "acknowledged", to_resolved: null, message: { chat_id: chatOf(friend) } });
    expect(written).toMatchObject([{ attrs: { to: lidJid, peer_recipient_pn: phoneJid(friend) } }]);
    await shown(friend, ({ message_id }) => message_id === id);
    await eventually("the copy on the own phone", WAIT_MS, () => anna.inbox().some(({ message_id }) => message_id === id));
    const answer = must(await friend.sendText(anna.pn, "hello yourself")).message_id;
    await session.received(answer);
    await eventually("the answer on the own phone", WAIT_MS, () => anna.inbox().some(({ message_id }) => message_id === answer));
    expect(chatsOnOwnPhone()).toEqual([chatOf(friend)]);
  });

  it("is named by phone in deduplication keys, events, stored messages and rows", async () => {
    const { id, outcome } = await send("seen by phone");
    if (outcome.kind !== "acknowledged") throw new Error(outcome.kind);
    await shown(friend, ({ message_id }) => message_id === id);
    const status = await session.waitForEvent("message.status", (event) => event.message_id === id && event.status === "delivered");
    expect(status).toMatchObject({ chat_id: chatOf(friend), participant: null });
    const answer = must(await friend.sendText(anna.pn, "here I am")).message_id;
    expect(await session.received(answer)).toMatchObject({ chat_id: chatOf(friend), sender: { phone: friend.pn } });
    const keys = session.events.map(({ key }) => key);
    expect(keys).toContain(`message:${chatOf(friend)}:in:${answer}`);
    expect(keys.filter((key) => key?.includes("@lid"))).toEqual([]);
    expect((await fetchSent(session.networkSession.rows, id))?.jid).toBe(phoneJid(friend));
    expect(readRaw(outcome.message.raw ?? "")?.key.remoteJid).toBe(phoneJid(friend));
  });
});

it("a message that the own phone cannot read at first appears there in the recipient's chat", async () => {
  // Both sides have written in the session with our own phone.
  await send("written here");
  await session.received(must(await anna.sendText(friend.pn, "written there")).message_id);
  await send("written here again");
  await anna.act((phone) => loseSessions(phone, anna.pn));
  const { id, outcome } = await send("once more for the own phone");
  expect(outcome).toMatchObject({ kind: "acknowledged" });
  const record = await eventually("the copy on the own phone", WAIT_MS, () => anna.inbox().find(({ message_id }) => message_id === id));
  expect(record).toMatchObject({ chat_id: chatOf(friend), from_me: true, text: "once more for the own phone" });
  expect(anna.deps.counters.retriesAsked).toBeGreaterThan(0);
});

describe("a contact without a LID", () => {
  beforeEach(async () => {
    world.network.nameByPhoneOnly(friend.pn, true);
    await session.received(must(await friend.sendText(anna.pn, "by phone")).message_id);
  });

  it("gets messages by phone", async () => {
    const { id, outcome } = await send("by phone, too");
    expect(outcome).toMatchObject({ kind: "acknowledged" });
    expect(written.map(({ attrs }) => [attrs["to"], attrs["peer_recipient_pn"]])).toEqual([[phoneJid(friend), undefined]]);
    await shown(friend, ({ message_id }) => message_id === id);
  });

  it("is looked up again when an ack says that they have a LID", async () => {
    inFlight = () => world.network.nameByPhoneOnly(friend.pn, false);
    const { outcome } = await send("in flight");
    expect(outcome).toMatchObject({ kind: "acknowledged" });
    const lid = lidJid.split("@")[0];
    await eventually("the LID", WAIT_MS, () => session.auth.kept.get(`lid-mapping|${friend.pn}`) === lid);
    expect((await send("now by LID")).outcome).toMatchObject({ kind: "acknowledged" });
    expect(written.map(({ attrs }) => attrs["to"])).toEqual([phoneJid(friend), lidJid]);
  });
});

describe("a contact who shows no number", () => {
  it("is a chat by LID, in both directions", async () => {
    world.network.hideNumber(friend.pn, true);
    const lid = lidJid.split("@")[0];
    const first = must(await friend.sendText(anna.pn, "guess who")).message_id;
    expect(await session.received(first)).toMatchObject({ chat_id: lidJid, sender: { phone: null, lid }, push_name: "Carla" });
    const { id, outcome } = await session.sendAndSettle(lidJid, text("no idea"));
    expect(outcome).toMatchObject({ kind: "acknowledged", message: { chat_id: lidJid } });
    await shown(friend, ({ message_id }) => message_id === id);
    await session.waitForEvent("message.status", (event) => event.message_id === id && event.status === "delivered");
    await session.waitForEvent("contact.updated", ({ person, push_name }) => person.lid === lid && push_name === "Carla");
    expect(session.eventsOf("lid.mapped").filter((event) => event.lid === lid)).toEqual([]);
  });
});
