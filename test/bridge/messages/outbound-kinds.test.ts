import { disappearingTimersOf } from "#root/session-bridge/networks/baileys/memory/disappearing-timers.ts";
import { boundedCache } from "#root/session-bridge/networks/baileys/session/per-session.ts";
import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { readRaw } from "#root/session-bridge/networks/baileys/content/unwrap.ts";
import type { SendContent, SendRequest } from "@gateway/protocol/content.ts";
import { eventually } from "../../support/eventually.ts";
import { sha256 } from "../../support/sample-files.ts";
import type { Session } from "./session.ts";
import { chatOf, must, openWorld, shown, type World } from "./world.ts";

/** 3 × 2 pixels. */
const PNG = await sharp({ create: { width: 3, height: 2, channels: 3, background: "red" } })
  .png()
  .toBuffer();

describe("a sent message", () => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;

  beforeAll(async () => {
    world = await openWorld();
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
  });
  afterAll(() => world.close());

  const send = async (content: SendContent, more: Partial<SendRequest> = {}) => {
    const { id, outcome } = await session.sendAndSettle(chatOf(carla), content, more);
    if (outcome.kind !== "acknowledged") throw new Error(JSON.stringify(outcome));
    const record = await eventually(`${content.kind} at the phone`, 60_000, () =>
      carla.inbox().find(({ message_id }) => message_id === id),
    );
    return { id, message: outcome.message, record };
  };

  it.each(["image", "video", "audio", "document", "sticker"] as const)("arrives with its file (%s)", async (kind) => {
    const types = { image: "image/png", video: "video/mp4", audio: "audio/mpeg", document: "application/pdf", sticker: "image/webp" };
    const bytes = kind === "image" ? PNG : randomBytes(90_000);
    const media = session.media.keep(bytes, types[kind], kind === "document" ? "bill.pdf" : null);
    const contents: Record<typeof kind, SendContent> = {
      image: { kind: "image", media, caption: "a picture", view_once: false },
      video: { kind: "video", media, caption: null, view_once: false, as_note: false, as_gif: false },
      audio: { kind: "audio", media },
      document: { kind: "document", media, caption: "the bill" },
      sticker: { kind: "sticker", media },
    };
    const { message, record } = await send(contents[kind]);
    expect(record).toMatchObject({ type: kind, media: { sha256: sha256(bytes), mimetype: types[kind], filename: media.filename } });
    expect(message).toMatchObject({
      type: kind,
      media: { token: media.token, mimetype: types[kind], size: bytes.length, sha256: sha256(bytes) },
    });
    expect(message.media).toMatchObject(kind === "image" ? { width: 3, height: 2 } : {});
  });

  it("arrives as a voice note, a video note and as view once", async () => {
    const sound = session.media.keep(randomBytes(5_000), "audio/ogg; codecs=opus");
    expect((await send({ kind: "voice", media: sound, convert: true })).record).toMatchObject({
      type: "voice",
      media: { mimetype: "audio/ogg; codecs=opus" },
    });
    const clip = session.media.keep(randomBytes(5_000), "video/mp4");
    expect((await send({ kind: "video", media: clip, caption: null, view_once: false, as_note: true, as_gif: false })).record.type).toBe(
      "video",
    );
    const picture = session.media.keep(PNG, "image/png");
    const once = await send({ kind: "image", media: picture, caption: null, view_once: true });
    expect(once.record.view_once).toBe(true);
    expect(once.message.view_once).toBe(true);
  });

  it("arrives complete even if large", async () => {
    const bytes = randomBytes(6_000_000);
    const { record } = await send({ kind: "document", media: session.media.keep(bytes, "application/zip", "large.zip"), caption: null });
    expect(record.media).toMatchObject({ sha256: sha256(bytes), size: bytes.length });
  });

  it("shows the given link preview, and fetches none", async () => {
    const given = { url: "https://example.com/x", title: "A page", description: "About it", image: session.media.keep(PNG, "image/png") };
    const { record } = await send({ kind: "text", text: "see https://example.com/x", preview: given });
    expect(record.link_preview).toEqual({ title: "A page", url: "https://example.com/x" });
    const plain = await send({ kind: "text", text: "see http://127.0.0.1:1/", preview: null });
    expect(plain.record.link_preview).toBeNull();
  });

  it("arrives as a location, contacts, a poll, an event", async () => {
    const location = { latitude: 1.5, longitude: -2.5, name: "Here", address: null };
    expect((await send({ kind: "location", location })).record.location).toEqual(location);
    const cards = [
      { full_name: "Dora", phone: "5511900000009", vcard: "" },
      { full_name: "Enzo", phone: "5511900000010", vcard: "" },
    ];
    expect((await send({ kind: "contact", contacts: cards })).record.contacts).toMatchObject(
      cards.map(({ full_name, phone }) => ({ full_name, phone })),
    );
    expect((await send({ kind: "contact", contacts: cards.slice(0, 1) })).record.contacts?.[0]?.vcard).toContain("waid=5511900000009");
    const poll = { question: "When?", options: ["Now", "Later", "Never"], selectable_count: 2 };
    const sent = await send({ kind: "poll", poll });
    expect(sent.record.poll).toEqual(poll);
    expect(sent.message.poll).toEqual(poll);
    const event = await send({
      kind: "event",
      name: "Party",
      description: null,
      starts_at: 1_900_000_000,
      ends_at: 1_900_003_600,
      location: null,
      extra_guests: true,
      cancelled: false,
    });
    expect(event.record).toMatchObject({ type: "event", text: "Party" });
  });

  it("quotes, mentions and forwards", async () => {
    const { message_id } = must(await carla.sendText(anna.pn, "quote me"));
    const source = await session.received(message_id);
    const ref = { chat_id: chatOf(carla), message_id, from_me: false, participant: null };
    const quoting = await send({ kind: "text", text: "I quote", preview: null }, { quoted: { raw: source.raw ?? "", ref } });
    expect(quoting.record.quoted_id).toBe(message_id);
    expect(quoting.message.quoted).toMatchObject({ message_id, from_me: false, text: "quote me" });
    const again = await send(
      { kind: "text", text: "I quote myself", preview: null },
      {
        quoted: { raw: quoting.message.raw ?? "", ref: { ...ref, message_id: quoting.id, from_me: true } },
      },
    );
    expect(again.message.quoted).toMatchObject({ message_id: quoting.id, from_me: true, text: "I quote" });
    const mention = await send({ kind: "text", text: `hello @${carla.pn}`, preview: null }, { mentions: [{ phone: carla.pn, lid: null }] });
    expect(mention.record.mentions).toHaveLength(1);
    expect(mention.message).toMatchObject({ text: `hello @${carla.pn}`, mentions: [{ phone: carla.pn }] });
    const passedOn = await send({ kind: "forward", raw: source.raw ?? "" });
    expect(passedOn.record).toMatchObject({ type: "text", text: "quote me", forwarded: true });
    expect(passedOn.message).toMatchObject({ type: "text", text: "quote me", forwarded: true });
  });

  it("forwards a file without uploading it again", async () => {
    const bytes = randomBytes(20_000);
    const { message_id } = must(
      await carla.send(anna.pn, { type: "document", file: { bytes, mimetype: "text/plain", filename: "a.txt" }, caption: null }),
    );
    const source = await session.received(message_id);
    const uploads = world.network.stats.uploads;
    const { record } = await send({ kind: "forward", raw: source.raw ?? "" });
    expect(record.media?.sha256).toBe(sha256(bytes));
    expect(world.network.stats.uploads).toBe(uploads);
  });

  it("reacts, edits, pins and deletes", async () => {
    const { id } = await send({ kind: "text", text: "as it was", preview: null });
    const target = { chat_id: chatOf(carla), message_id: id, from_me: true, participant: null };
    const at = () => carla.inbox().find(({ message_id }) => message_id === id);
    const change = async (content: SendContent) => {
      const { outcome } = await session.sendAndSettle(chatOf(carla), content);
      expect(outcome).toMatchObject({ kind: "acknowledged", message: { type: content.kind, from_me: true } });
    };
    await change({ kind: "reaction", target, reaction: "👍" });
    await eventually("the reaction", 60_000, () => at()?.reactions.some(({ reaction }) => reaction === "👍"));
    await change({ kind: "edit", target, text: "as it is" });
    await eventually("the edit", 60_000, () => at()?.text === "as it is");
    await change({ kind: "pin", target, seconds: 86_400 });
    await eventually("the pin", 60_000, () => at()?.pinned);
    await change({ kind: "pin", target, seconds: null });
    await eventually("no pin", 60_000, () => at()?.pinned === false);
    await change({ kind: "delete", target });
    await eventually("the deletion", 60_000, () => at()?.deleted);
    // The object knows its own request, so nothing is reported twice.
    expect([
      ...session.eventsOf("message.reaction"),
      ...session.eventsOf("message.edited"),
      ...session.eventsOf("message.deleted"),
    ]).toEqual([]);
  });

  it("sets the disappearing timer of a chat", async () => {
    const { outcome } = await session.sendAndSettle(chatOf(carla), { kind: "disappearing", seconds: 86_400 });
    expect(outcome).toMatchObject({ kind: "acknowledged", message: { type: "disappearing" } });
  });

  it("has the disappearing timer of its chat", async () => {
    await session.sendAndSettle(chatOf(carla), { kind: "disappearing", seconds: 604_800 });
    const { message } = await send({ kind: "text", text: "for a week", preview: null });
    expect(readRaw(message.raw ?? "")?.message.extendedTextMessage?.contextInfo?.expiration).toBe(604_800);
    // As after a move to another bridge, which has seen no message of the chat yet.
    disappearingTimersOf.replace(session.networkSession, boundedCache(1));
    const { message: moved } = await send({ kind: "text", text: "for a week, too", preview: null }, { disappearing_seconds: 604_800 });
    expect(readRaw(moved.raw ?? "")?.message.extendedTextMessage?.contextInfo?.expiration).toBe(604_800);
    await session.sendAndSettle(chatOf(carla), { kind: "disappearing", seconds: 0 });
    const { message: after } = await send({ kind: "text", text: "to stay", preview: null }, { disappearing_seconds: 604_800 });
    expect(readRaw(after.raw ?? "")?.message.extendedTextMessage?.contextInfo?.expiration ?? 0).toBe(0);
  });

  it("is preceded by typing", async () => {
    const states: string[] = [];
    const receive = world.network.receive.bind(world.network);
    world.network.receive = (from, stanza) => {
      if (stanza.tag === "chatstate") states.push((stanza.content as Array<{ tag: string }>)[0]?.tag ?? "");
      receive(from, stanza);
    };
    const { outcome } = await session.sendAndSettle(chatOf(carla), { kind: "text", text: "typed", preview: null }, { typing_ms: 50 });
    world.network.receive = receive;
    expect(outcome.kind).toBe("acknowledged");
    expect(states).toEqual(["composing"]);
  });

  it("reaches the audience of a status post", async () => {
    const other = await world.newPhone("Not invited");
    const { id, outcome } = await session.sendAndSettle(
      "status@broadcast",
      { kind: "text", text: "my day", preview: null },
      {
        status: { background: 0xff1f7a5c, font: 2, recipients: [{ phone: carla.pn, lid: null }] },
      },
    );
    expect(outcome).toMatchObject({ kind: "acknowledged", message: { chat_id: "status@broadcast", type: "text", text: "my day" } });
    await shown(carla, ({ message_id }) => message_id === id);
    await shown(anna, ({ message_id }) => message_id === id);
    expect(other.inbox().some(({ message_id }) => message_id === id)).toBe(false);
  });
});
