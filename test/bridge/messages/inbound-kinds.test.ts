import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lidFor } from "#root/test-network/directory.ts";
import type { OutgoingContent } from "#root/test-network/phone/messages/outgoing-content.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { Session } from "./session.ts";
import { chatOf, must, openWorld, type World } from "./world.ts";

const file = (mimetype: string, filename: string | null = null) => ({ bytes: randomBytes(70_000), mimetype, filename });

describe("a message from a person", () => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;

  beforeAll(async () => {
    world = await openWorld();
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
  });
  afterAll(() => world.close());

  const receive = async (content: OutgoingContent, options: Parameters<SimulatedPhone["send"]>[2] = {}) => {
    const { message_id } = must(await carla.send(anna.pn, content, options));
    return session.received(message_id);
  };

  const files: Array<[type: string, content: OutgoingContent, text: string | null]> = [
    ["image", { type: "image", file: file("image/png"), caption: "look", view_once: false }, "look"],
    ["video", { type: "video", file: file("video/mp4"), caption: null, view_once: false }, null],
    ["audio", { type: "audio", file: file("audio/mpeg"), view_once: false }, null],
    ["voice", { type: "voice", file: file("audio/ogg; codecs=opus"), view_once: false }, null],
    ["document", { type: "document", file: file("application/pdf", "bill.pdf"), caption: "the bill" }, "the bill"],
    ["sticker", { type: "sticker", file: file("image/webp") }, null],
  ];

  it.each(files)("with a file (%s) is reported with the file stored", async (type, content, text) => {
    const message = await receive(content);
    const sent = (content as { file: ReturnType<typeof file> }).file;
    expect(message).toMatchObject({ type, text, media: { mimetype: sent.mimetype, size: sent.bytes.length, filename: sent.filename } });
    expect(session.media.files.get(message.media?.token ?? "")?.bytes).toEqual(sent.bytes);
    expect(session.media.sha256(message.media?.token)).toBe(message.media?.sha256);
  });

  it("with a large file is reported with the whole file stored", async () => {
    const large = { bytes: randomBytes(3_000_000), mimetype: "application/zip", filename: "large.zip" };
    const message = await receive({ type: "document", file: large, caption: null });
    expect(session.media.files.get(message.media?.token ?? "")?.bytes.equals(large.bytes)).toBe(true);
  });

  it("is marked as view once", async () => {
    const message = await receive({ type: "image", file: file("image/jpeg"), caption: null, view_once: true });
    expect(message).toMatchObject({ type: "image", view_once: true });
    expect(message.media?.token).not.toBeNull();
  });

  it("with a location has its coordinates", async () => {
    const message = await receive({ type: "location", latitude: -23.5, longitude: -46.6, name: "Office", address: "Some street 1" });
    expect(message).toMatchObject({
      type: "location",
      text: "Office",
      location: { latitude: -23.5, longitude: -46.6, name: "Office", address: "Some street 1" },
    });
  });

  it.each([
    [[{ full_name: "Dora", phone: "5511900000009" }]],
    [
      [
        { full_name: "Dora", phone: "5511900000009" },
        { full_name: "Enzo", phone: "5511900000010" },
      ],
    ],
  ])("with contacts has their names and numbers", async (contacts) => {
    const message = await receive({ type: "contact", contacts });
    expect(message.type).toBe("contact");
    expect(message.text).toBe(contacts.map(({ full_name }) => full_name).join(", "));
    expect(message.contacts).toMatchObject(contacts);
    expect(message.contacts?.[0]?.vcard).toContain("BEGIN:VCARD");
  });

  it("with a poll has its question and options", async () => {
    const message = await receive({ type: "poll", question: "Where?", options: ["Here", "There"], selectable_count: 1 });
    expect(message).toMatchObject({
      type: "poll",
      text: "Where?",
      poll: { question: "Where?", options: ["Here", "There"], selectable_count: 1 },
    });
  });

  it("has its text if it is a list", async () => {
    const rows = [{ id: "row-7", title: "Seven" }];
    expect(await receive({ type: "list", title: "Numbers", text: "Pick one", button: "Show", rows })).toMatchObject({
      type: "list",
      text: "Pick one",
      selected: null,
    });
  });

  it("has the choice if it answers a list or a button", async () => {
    expect(await receive({ type: "list_response", row_id: "row-7", title: "Seven" })).toMatchObject({
      type: "list_response",
      text: "Seven",
      selected: { row_id: "row-7", title: "Seven" },
    });
    expect(await receive({ type: "button_response", button_id: "b-1", title: "Yes" })).toMatchObject({
      type: "button_response",
      text: "Yes",
      selected: { button_id: "b-1", title: "Yes" },
    });
  });

  it("has the quoted message if it quotes one", async () => {
    const { id } = await session.sendAndSettle(chatOf(carla), { kind: "text", text: "the question", preview: null });
    const first = await receive({ type: "text", text: "an answer" }, { quotedId: id });
    expect(first.quoted).toMatchObject({ message_id: id, from_me: true, text: "the question", type: "text" });
    const again = await receive({ type: "text", text: "and more" }, { quotedId: first.message_id });
    expect(again.quoted).toMatchObject({ message_id: first.message_id, from_me: false, from: { phone: carla.pn }, text: "an answer" });
  });

  it("is reported without its file when downloads are off", async () => {
    const { session: plain, phone: owner } = await world.pair("Plain", { download_media: false });
    const { message_id } = must(await carla.send(owner.pn, { type: "image", file: file("image/png"), caption: null, view_once: false }));
    expect(await plain.received(message_id)).toMatchObject({ type: "image", media: { token: null, size: 70_000 } });
    expect(plain.media.files.size).toBe(0);
  });

  it("is reported as a change if it changes another message", async () => {
    const { message_id } = must(await carla.sendText(anna.pn, "first wording"));
    await session.received(message_id);
    const wanted = (event: { message_id: string }) => event.message_id === message_id;
    // Phones mention people by LID; recipients know them by phone number.
    must(await carla.edit(anna.pn, message_id, `second wording @${lidFor(carla.pn)}`));
    expect(await session.waitForEvent("message.edited", wanted)).toMatchObject({
      chat_id: chatOf(carla),
      text: `second wording @${carla.pn}`,
      from_me: false,
      sender: { phone: carla.pn },
    });
    must(await carla.delete(anna.pn, message_id));
    expect(await session.waitForEvent("message.deleted", wanted)).toMatchObject({
      chat_id: chatOf(carla),
      from_me: false,
      author: { phone: carla.pn },
      by: { phone: carla.pn },
    });
    const { id } = await session.sendAndSettle(chatOf(carla), { kind: "text", text: "react to me", preview: null });
    must(await carla.react(anna.pn, id, "🎉"));
    const reaction = await session.waitForEvent("message.reaction", (event) => event.message_id === id && event.reaction === "🎉");
    expect(reaction).toMatchObject({ chat_id: chatOf(carla), from_me: false, sender: { phone: carla.pn } });
    must(await carla.react(anna.pn, id, ""));
    await session.waitForEvent("message.reaction", (event) => event.message_id === id && event.reaction === "");
    // None of these counts as a separate message.
    expect(
      session
        .eventsOf("message.upsert")
        .map(({ message }) => message.type)
        .filter(
          (type) =>
            ![
              "text",
              "image",
              "video",
              "audio",
              "voice",
              "document",
              "sticker",
              "location",
              "contact",
              "poll",
              "list",
              "list_response",
              "button_response",
            ].includes(type),
        ),
    ).toEqual([]);
  });
});
