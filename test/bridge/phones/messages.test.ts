import { createHash, randomBytes } from "node:crypto";
import {
  downloadMediaMessage,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type AnyMessageContent,
  type BinaryNode,
  type WAMessage,
} from "baileys";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { BaileysClient } from "../../support/bridge/baileys-client.ts";
import { eventually } from "../../support/eventually.ts";
import { chatOf, jidOf, must, openWorld, shown, type World } from "./world.ts";

const file = (mimetype: string, size = 5_000) => ({ bytes: randomBytes(size), mimetype, filename: "a file.bin" });
/** A Signal session as libsignal stores it. */
type SessionRecord = { _sessions: Record<string, { _chains: object }> };
const hex = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

// One-to-one stanzas identify people by phone number or LID; the network uses both. Records the client's receipts from now on: `<message
// id> <type>`.
function receiptsOf({ sock }: BaileysClient): readonly string[] {
  const receipts: string[] = [];
  sock.ws.on("CB:receipt", (node: BinaryNode) => {
    const more = getBinaryNodeChildren(getBinaryNodeChild(node, "list"), "item").map(({ attrs }) => attrs["id"]);
    for (const id of [node.attrs["id"], ...more]) receipts.push(`${id} ${node.attrs["type"] ?? "delivered"}`);
  });
  return receipts;
}

describe.each(["pn", "lid"] as const)("one-to-one messages, addressed by %s", (addressing) => {
  let world: World;
  let anas: SimulatedPhone;
  let bob: SimulatedPhone;
  let ana: BaileysClient;
  beforeAll(async () => {
    // Unmodified clients address phone numbers instead of LIDs and send no tokens.
    world = await openWorld({ addressing, lidOnly: false, needsToken: false });
    ({ phone: anas, client: ana } = await world.pair("Ana"));
    bob = await world.newPhone("Bob");
  });
  afterAll(() => world.close());

  const fromClient = (text: string) => ana.send(jidOf(bob), { text });
  const fromBob = async (text: string) => {
    const { message_id } = must(await bob.sendText(chatOf(anas), text));
    return { id: message_id, seen: await ana.message(message_id) };
  };

  it("arrive at the phone, and as a copy at the own phone", async () => {
    const sent = await fromClient("hello Bob");
    const record = await shown(bob, ({ message_id }) => message_id === sent.key.id);
    expect(record).toMatchObject({
      chat_id: chatOf(anas),
      from: anas.pn,
      from_me: false,
      type: "text",
      text: "hello Bob",
      push_name: "Ana",
      duplicates: 0,
    });
    expect(await shown(anas, ({ message_id }) => message_id === sent.key.id)).toMatchObject({
      chat_id: chatOf(bob),
      from: anas.pn,
      from_me: true,
      text: "hello Bob",
    });
  });

  it("arrive at the linked device, from the phone and from the own phone", async () => {
    const { seen } = await fromBob("hello Ana");
    expect(seen.message?.conversation).toBe("hello Ana");
    expect(seen).toMatchObject({ key: { fromMe: false }, pushName: "Bob" });
    const { message_id: typed } = must(await anas.sendText(chatOf(bob), "typed on the phone"));
    expect(await ana.message(typed)).toMatchObject({ key: { fromMe: true }, message: { conversation: "typed on the phone" } });
    await shown(bob, ({ message_id }) => message_id === typed);
  });

  it("are delivered and read, and the sender learns of both", async () => {
    // The library merges simultaneous events, so our own phone's receipt may mask the recipient's.
    const receipts = receiptsOf(ana);
    const sent = await fromClient("are you there?");
    const receipt = (type: string) => eventually(type, 60_000, () => receipts.includes(`${sent.key.id} ${type}`));
    await receipt("delivered");
    await receipt("sender");
    expect(await bob.read(chatOf(anas))).toBeGreaterThan(0);
    await receipt("read");
    expect(bob.inbox().every(({ from_me, read }) => from_me || read)).toBe(true);
  });

  it("appear on the phone as delivered and read", async () => {
    const { id, seen } = await fromBob("read me");
    await eventually("delivered", 60_000, () => bob.inbox().find(({ message_id }) => message_id === id)?.status === "delivered");
    await ana.sock.readMessages([seen.key]);
    await eventually("read", 60_000, () => bob.inbox().find(({ message_id }) => message_id === id)?.status === "read");
    expect(bob.deps.receipts.list(id).map(({ from, kind }) => [from, kind])).toContainEqual([anas.pn, "read"]);
    await eventually("read on the own phone", 60_000, () => anas.inbox().find(({ message_id }) => message_id === id)?.read);
  });

  it("take reactions, edits and deletions of the linked device", async () => {
    const sent = await fromClient("first version");
    const { key } = sent;
    const at = async (what: string, pick: (record: Awaited<ReturnType<typeof shown>>) => boolean) => {
      return eventually(what, 60_000, () => bob.inbox().find((record) => record.message_id === key.id && pick(record)));
    };
    await at("the message", () => true);
    await ana.send(jidOf(bob), { react: { text: "👍", key } });
    expect((await at("the reaction", ({ reactions }) => reactions.length > 0)).reactions).toEqual([{ from: anas.pn, reaction: "👍" }]);
    await ana.send(jidOf(bob), { react: { text: "", key } });
    await at("no reaction", ({ reactions }) => reactions.length === 0);
    await ana.send(jidOf(bob), { text: "second version", edit: key });
    expect(await at("the edit", ({ edited }) => edited)).toMatchObject({ text: "second version" });
    await ana.send(jidOf(bob), { delete: key });
    expect(await at("the deletion", ({ deleted }) => deleted)).toMatchObject({ text: null });
  });

  it("take reactions, edits and deletions of the phone", async () => {
    const { id, seen } = await fromBob("first version");
    must(await bob.react(chatOf(anas), id, "🎉"));
    await ana.saw("messages.reaction", (list) => list.find(({ key, reaction }) => key.id === id && reaction.text === "🎉"));
    // The library alone cannot decrypt edits.
    bob.deps.link.sealsEdits = () => false;
    must(await bob.edit(chatOf(anas), id, "second version"));
    const edited = await ana.saw("messages.update", (list) =>
      list.find(({ key, update }) => key.id === id && update.message?.editedMessage),
    );
    expect(edited.update.message?.editedMessage?.message?.conversation).toBe("second version");
    must(await bob.delete(chatOf(anas), id));
    await ana.saw("messages.update", (list) => list.find(({ key, update }) => key.id === id && update.message === null));
    expect(bob.inbox().find(({ message_id }) => message_id === id)).toMatchObject({ edited: true, deleted: true });
    expect(await bob.edit(chatOf(anas), "none", "x")).toMatchObject({ ok: false, code: "message_not_found" });
    expect(seen.key.id).toBe(id);
  });

  it("ignore an edit by somebody who is not the author", async () => {
    const { id, seen } = await fromBob("mine");
    await ana.send(jidOf(bob), { text: "hacked", edit: { ...seen.key, fromMe: true } });
    await fromClient("after the edit");
    await shown(bob, ({ text }) => text === "after the edit");
    expect(bob.inbox().find(({ message_id }) => message_id === id)).toMatchObject({ text: "mine", edited: false });
  });

  it("quote in both directions", async () => {
    const { id, seen } = await fromBob("to be quoted");
    const answer = await ana.send(jidOf(bob), { text: "an answer" }, { quoted: seen });
    expect(await shown(bob, ({ message_id }) => message_id === answer.key.id)).toMatchObject({ quoted_id: id });
    const { message_id } = must(await bob.sendText(chatOf(anas), "an answer to that", { quotedId: answer.key.id ?? "" }));
    const context = (await ana.message(message_id)).message?.extendedTextMessage?.contextInfo;
    expect(context?.stanzaId).toBe(answer.key.id);
    expect(context?.quotedMessage?.extendedTextMessage?.text).toBe("an answer");
  });

  it.each([
    ["image", "image/png"],
    ["video", "video/mp4"],
    ["audio", "audio/mp4"],
    ["voice", "audio/ogg; codecs=opus"],
    ["document", "application/pdf"],
    ["sticker", "image/webp"],
  ] as const)("carry a file as %s that the linked device can open", async (type, mimetype) => {
    const upload = file(mimetype);
    const content =
      type === "image" || type === "video" || type === "document"
        ? { type, file: upload, caption: "a caption", view_once: false }
        : { type, file: upload, view_once: false };
    const { message_id } = must(await bob.send(chatOf(anas), content as never));
    const message = await ana.message(message_id);
    expect(hex(await downloadMediaMessage(message, "buffer", {}))).toBe(hex(upload.bytes));
  });

  it.each<[string, (bytes: Buffer) => Parameters<BaileysClient["send"]>[1]]>([
    ["image", (image) => ({ image, caption: "a caption", jpegThumbnail: "" })],
    ["video", (video) => ({ video, caption: "a caption", jpegThumbnail: "" })],
    ["audio", (audio) => ({ audio, mimetype: "audio/mp4", seconds: 1 })],
    ["voice", (audio) => ({ audio, ptt: true, mimetype: "audio/ogg; codecs=opus", seconds: 1 })],
    ["document", (document) => ({ document, mimetype: "application/pdf", fileName: "a.pdf", caption: "a caption" })],
    ["sticker", (sticker) => ({ sticker })],
  ])("carry a file as %s from the linked device to the phone", async (type, content) => {
    const bytes = randomBytes(4_321);
    const sent = await ana.send(jidOf(bob), content(bytes));
    const record = await shown(bob, ({ message_id }) => message_id === sent.key.id);
    expect(record.type).toBe(type);
    expect(record.media).toMatchObject({ sha256: hex(bytes), size: 4_321 });
  });

  it("carry and show places, contacts and polls", async () => {
    must(await bob.send(chatOf(anas), { type: "location", latitude: -23.5, longitude: -46.6, name: "São Paulo", address: null }));
    must(await bob.send(chatOf(anas), { type: "contact", contacts: [{ full_name: "Carla", phone: "5511988887777" }] }));
    await ana.saw("messages.upsert", ({ messages }) => messages.find(({ message }) => message?.locationMessage?.degreesLatitude === -23.5));
    await ana.saw("messages.upsert", ({ messages }) =>
      messages.find(({ message }) => message?.contactMessage?.vcard?.includes("waid=5511988887777")),
    );
    await ana.send(jidOf(bob), { location: { degreesLatitude: 1.5, degreesLongitude: 2.5, name: "Here" } });
    expect((await shown(bob, ({ type, from_me }) => type === "location" && !from_me)).location).toMatchObject({
      latitude: 1.5,
      longitude: 2.5,
      name: "Here",
    });
    await ana.send(jidOf(bob), {
      contacts: { displayName: "Davi", contacts: [{ displayName: "Davi", vcard: "BEGIN:VCARD\nTEL;waid=5511977776666:+55\nEND:VCARD" }] },
    });
    expect((await shown(bob, ({ type, from_me }) => type === "contact" && !from_me)).contacts).toMatchObject([
      { full_name: "Davi", phone: "5511977776666" },
    ]);
  });

  it("carry votes on polls from the linked device and from the phone itself", async () => {
    const poll = await ana.send(jidOf(bob), { poll: { name: "Lunch?", values: ["Pizza", "Sushi"], selectableCount: 1 } });
    expect((await shown(bob, ({ message_id }) => message_id === poll.key.id)).poll).toEqual({
      question: "Lunch?",
      options: ["Pizza", "Sushi"],
      selectable_count: 1,
    });
    const pollId = poll.key.id ?? "";
    expect(await bob.vote(chatOf(anas), pollId, ["Feijoada"])).toMatchObject({ ok: false, code: "unknown_option" });
    must(await bob.vote(chatOf(anas), pollId, ["Sushi"]));
    await eventually("the vote on the own phone", 60_000, () => {
      return anas
        .inbox()
        .find(({ message_id }) => message_id === pollId)
        ?.poll_votes.some(({ from, options }) => from === bob.pn && options[0] === "Sushi");
    });
    await ana.saw("messages.upsert", ({ messages }) =>
      messages.find(({ message }) => message?.pollUpdateMessage?.pollCreationMessageKey?.id === pollId),
    );
    must(await bob.vote(chatOf(anas), pollId, []));
    await eventually(
      "the vote taken back",
      60_000,
      () => anas.inbox().find(({ message_id }) => message_id === pollId)?.poll_votes.length === 0,
    );
  });

  it("carry view-once media in both directions, marked as such", async () => {
    const upload = file("image/jpeg");
    const { message_id } = must(await bob.send(chatOf(anas), { type: "image", file: upload, caption: null, view_once: true }));
    const wrapped = (await ana.message(message_id)).message as NonNullable<WAMessage["message"]>;
    expect(wrapped.viewOnceMessageV2?.message?.imageMessage?.viewOnce).toBe(true);
    const sent = await ana.send(jidOf(bob), { image: randomBytes(100), viewOnce: true, jpegThumbnail: "" });
    expect(await shown(bob, ({ message_id: id }) => id === sent.key.id)).toMatchObject({ type: "image", view_once: true });
  });

  it("show invitations, events, forwarding and the form of a video", async () => {
    const arrived = async (content: AnyMessageContent) => {
      const sent = await ana.send(jidOf(bob), content);
      return shown(bob, ({ message_id }) => message_id === sent.key.id);
    };
    const startDate = new Date(1_900_000_000_000);
    expect(await arrived({ event: { name: "Party", description: "Bring cake", startDate, location: { name: "Here" } } })).toMatchObject({
      type: "event",
      event: { name: "Party", description: "Bring cake", starts_at: 1_900_000_000, ends_at: null, cancelled: false, location: "Here" },
    });
    // Avoids `sendMessage`, which fails for a group without a picture.
    const groupInviteMessage = { inviteCode: "abc", inviteExpiration: 1, caption: "join us", groupJid: "1@g.us", groupName: "Team" };
    const invited = await ana.sock.relayMessage(jidOf(bob), { groupInviteMessage }, {});
    expect(await shown(bob, ({ message_id }) => message_id === invited)).toMatchObject({
      type: "group_invite",
      text: "join us",
      group_invite: { group_id: "1@g.us", invite_code: "abc", subject: "Team" },
    });
    expect(await arrived({ video: randomBytes(100), gifPlayback: true, jpegThumbnail: "" })).toMatchObject({ type: "video", form: "gif" });
    expect(await arrived({ video: randomBytes(100), ptv: true, jpegThumbnail: "" })).toMatchObject({ type: "video", form: "note" });
    const { seen } = await fromBob("pass it on");
    expect(await arrived({ forward: seen, force: true })).toMatchObject({ type: "text", text: "pass it on", forwarded: true });
  });

  it("are echoed once by an echoing phone, unless they are an echo themselves", async () => {
    const eco = await world.newPhone("Eco");
    const other = await world.newPhone("Eco 2");
    await eco.change({ receipts: "read", reply: "echo" });
    await other.change({ reply: "echo" });
    const receipts = receiptsOf(ana);
    const sent = await ana.send(jidOf(eco), { text: "oi, eco" });
    await ana.saw("messages.upsert", ({ messages }) =>
      messages.find(({ key, message }) => !key.fromMe && message?.conversation === "oi, eco"),
    );
    await eventually("read", 60_000, () => receipts.includes(`${sent.key.id} read`));
    must(await other.sendText(chatOf(eco), "a first word"));
    await shown(other, ({ text, from_me }) => text === "a first word" && !from_me);
    await other.idle();
    await eco.idle();
    expect(eco.inbox(chatOf(other))).toHaveLength(2);
  });

  it("are refused if they cannot be sent", async () => {
    expect(await bob.sendText("5599000000000@c.us", "hello?")).toMatchObject({ ok: false, code: "unknown_number" });
    expect(await bob.sendText(chatOf(anas), "hello?", { quotedId: "NONE" })).toMatchObject({ ok: false, code: "message_not_found" });
    await bob.change({ online: false });
    expect(await bob.sendText(chatOf(anas), "hello?")).toMatchObject({ ok: false, code: "phone_offline" });
    const sent = await fromClient("while you were off");
    await bob.change({ online: true });
    await shown(bob, ({ message_id }) => message_id === sent.key.id);
  });
});

describe("a conversation of many turns between phones", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  it("keeps the phones' sessions small", async () => {
    const [ana, bob] = [await world.newPhone("Ana"), await world.newPhone("Bob")];
    for (let turn = 0; turn < 12; turn += 1) {
      const question = must(await ana.sendText(chatOf(bob), `question ${turn}`));
      await shown(bob, ({ message_id }) => message_id === question.message_id);
      const answer = must(await bob.sendText(chatOf(ana), `answer ${turn}`));
      await shown(ana, ({ message_id }) => message_id === answer.message_id);
    }
    const chains = await ana.act(({ keys, link, signal }) => {
      const lid = link.directory.find(jidOf(bob))?.lid ?? "";
      const record = keys.get("session", [signal.jidToSignalProtocolAddress(`${lid}@lid`)]) as unknown as Record<string, SessionRecord>;
      return Object.values(record).flatMap(({ _sessions }) => Object.values(_sessions).map(({ _chains }) => Object.keys(_chains).length));
    });
    // Five receiving chains and the sending one.
    expect(chains).toEqual([6]);
  });
});
