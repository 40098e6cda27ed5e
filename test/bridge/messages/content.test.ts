import { proto } from "baileys";
import { describe, expect, it } from "vitest";
import { cardsOf, vcardOf } from "#root/session-bridge/networks/baileys/content/contact-cards.ts";
import { networkMessage, sourceOf } from "#root/session-bridge/networks/baileys/content/network-message.ts";
import { rawOf, readRaw } from "#root/session-bridge/networks/baileys/content/unwrap.ts";
import { frameJson } from "#root/session-bridge/gateway/frame-json.ts";
import { viewOf } from "#root/session-bridge/networks/baileys/content/view.ts";
import { changeEvent } from "#root/session-bridge/networks/baileys/inbound/message-changes.ts";
import { KeyedEvent } from "@gateway/protocol/events.ts";
import { mutedUntil } from "#root/session-bridge/networks/baileys/inbound/chats.ts";
import { LidMapping } from "#root/session-bridge/networks/baileys/addressing/lid-mapping.ts";
import sharp from "sharp";
import { readImage } from "#root/session-bridge/networks/baileys/media/image-size.ts";
import { NetworkMessage } from "@gateway/protocol/message.ts";

/** Encodes and decodes the message as on the wire. */
const wire = (message: proto.IMessage): proto.Message => proto.Message.decode(proto.Message.encode(message).finish());
const said = (message: proto.IMessage) => {
  const { type, text, selected, poll, viewOnce } = viewOf(wire(message)) ?? { type: null };
  return { type, text, ...(selected && { selected }), ...(poll && { poll }), ...(viewOnce && { viewOnce }) };
};

/** The largest response of an object: the platform's limit, in UTF-16 code units. */
const MAX_ANSWER_CHARACTERS = 16 * 1024 * 1024;

describe("a message from a client without limits", () => {
  const lids = new LidMapping({ own: () => ({ phone: "5511900000002", lid: null }), storedPhone: () => null, onMapped: () => undefined });
  /** The content as the object parses it from the bridge's frame. */
  const reported = (content: proto.IMessage, pushName = "") => {
    const message = wire(content);
    const view = viewOf(message);
    if (view === null) throw new Error("not shown");
    const source = { chatId: "5511900000001@c.us", fromMe: false, sender: { phone: "5511900000001", lid: null } };
    const wireMessage = { key: { id: "A", remoteJid: "5511900000001@s.whatsapp.net" }, message, messageTimestamp: 1, pushName };
    return NetworkMessage.parse(JSON.parse(frameJson(networkMessage(wireMessage as never, view, source, lids))));
  };
  const long = "я".repeat(400_000);
  const people = (count: number) => Array.from({ length: count }, (_, n) => `${5_511_900_000_000 + n}@s.whatsapp.net`);
  const card = { displayName: long, vcard: `BEGIN:VCARD\nFN:${long}\nEND:VCARD` };
  it.each<[string, proto.IMessage]>([
    ["text", { conversation: long }],
    ["location", { locationMessage: { degreesLatitude: 1, degreesLongitude: 2, name: long, address: long } }],
    ["contacts", { contactsArrayMessage: { displayName: long, contacts: [card, card, card] } }],
    ["poll", { pollCreationMessageV3: { name: long, options: [{ optionName: long }, { optionName: long }] } }],
    ["choice", { buttonsResponseMessage: { selectedButtonId: long, selectedDisplayText: long } }],
    ["many empty contacts", { contactsArrayMessage: { contacts: Array.from({ length: 100_000 }, () => ({})) } }],
    ["many empty options", { pollCreationMessageV3: { name: "?", options: Array.from({ length: 100_000 }, () => ({})) } }],
    ["many mentions", { extendedTextMessage: { text: "x", contextInfo: { mentionedJid: people(100_000) } } }],
    ["quote of nothing", { extendedTextMessage: { text: long, contextInfo: { stanzaId: long } } }],
    ["quote", { extendedTextMessage: { text: long, contextInfo: { stanzaId: "A", quotedMessage: { conversation: long } } } }],
  ])("is cut so that a hundred of them fit into one answer (%s)", (_what, content) => {
    const { raw: _raw, ...shown } = reported(content, long);
    expect(JSON.stringify(shown).length * 100).toBeLessThan(MAX_ANSWER_CHARACTERS);
    expect(shown.push_name?.startsWith("я".repeat(1_000))).toBe(true);
  });

  it("is not cut in the middle of a character", () => {
    const emoji = `!${"😀".repeat(100_000)}`;
    const { location, push_name } = reported({ locationMessage: { degreesLatitude: 1, degreesLongitude: 2, name: emoji } }, emoji);
    expect([location?.name, push_name].map((text) => text?.replaceAll("😀", ""))).toEqual(["!", "!"]);
  });

  it.each<[string, proto.IMessage, Partial<NetworkMessage>]>([
    [
      "latitude that is no number",
      { locationMessage: { degreesLatitude: NaN, name: "Here" } },
      { type: "location", text: "Here", location: null },
    ],
    ["infinite longitude", { locationMessage: { degreesLongitude: Infinity } }, { type: "location", location: null }],
    [
      "live location nowhere",
      { liveLocationMessage: { degreesLatitude: -Infinity, caption: "on my way" } },
      { text: "on my way", location: null },
    ],
    [
      "size of 2^60 bytes",
      { documentMessage: { fileLength: 2 ** 60, caption: "look" } },
      { text: "look", media: expect.objectContaining({ size: null }) },
    ],
  ])("arrives without its %s", (_what, content, expected) => expect(reported(content)).toMatchObject(expected));

  it("does not stall the bridge with a link that is nearly in its text", () => {
    const [text, matchedText] = ["a".repeat(1_000_000), `${"a".repeat(300_000)}b${"a".repeat(699_999)}`];
    expect(viewOf({ extendedTextMessage: { text, matchedText, title: "x" } })?.preview).toBeNull();
  });

  it.each([2 ** 63 - 1_024, Number.MAX_SAFE_INTEGER, 8_000])(
    "is edited at the time of the network if the edit claims %d ms",
    (timestampMs) => {
      const source = { chatId: "5511900000001@c.us", fromMe: false, sender: { phone: "5511900000001", lid: null } };
      const change = wire({
        protocolMessage: { type: 14, key: { id: "A" }, editedMessage: { conversation: "new" }, timestampMs },
      }).protocolMessage;
      const message = { key: { id: "B", remoteJid: "5511900000001@s.whatsapp.net" }, messageTimestamp: 7 };
      const changed = changeEvent({ session: {} } as never, message as never, source, change as never);
      expect(KeyedEvent.parse(changed).event).toMatchObject({ type: "message.edited", text: "new", timestamp: 7 });
    },
  );
});

describe("content", () => {
  const image = { imageMessage: { caption: "look", mimetype: "image/jpeg" } };

  it.each<[string, proto.IMessage]>([
    ["disappearing", { ephemeralMessage: { message: image } }],
    ["edited", { editedMessage: { message: image } }],
    ["with key material beside it", { senderKeyDistributionMessage: { groupId: "1@g.us" }, messageContextInfo: {}, ...image }],
    ["twice wrapped", { ephemeralMessage: { message: { documentWithCaptionMessage: { message: image } } } }],
    ["of an album", { associatedChildMessage: { message: image } }],
  ])("is found inside its wrapper (%s)", (_what, message) => expect(said(message)).toEqual({ type: "image", text: "look" }));

  it.each<[string, proto.IMessage]>([
    ["view once", { viewOnceMessage: { message: image } }],
    ["view once, second form", { viewOnceMessageV2: { message: image } }],
    ["by its own mark", { imageMessage: { caption: "look", viewOnce: true } }],
  ])("is marked as view once (%s)", (_what, message) => expect(said(message)).toEqual({ type: "image", text: "look", viewOnce: true }));

  it.each<[proto.IMessage, object]>([
    [{ conversation: "hi" }, { type: "text", text: "hi" }],
    [{ ptvMessage: {} }, { type: "video", text: null }],
    [{ lottieStickerMessage: { message: { stickerMessage: {} } } }, { type: "sticker", text: null }],
    [{ liveLocationMessage: { degreesLatitude: 1, degreesLongitude: 2, caption: "on my way" } }, { type: "location", text: "on my way" }],
    [{ listMessage: { title: "Menu", description: "Choose" } }, { type: "list", text: "Choose" }],
    [
      { templateButtonReplyMessage: { selectedId: "a", selectedDisplayText: "A" } },
      { type: "button_response", text: "A", selected: { button_id: "a", title: "A" } },
    ],
    [{ buttonsMessage: { contentText: "Pick one" } }, { type: "buttons", text: "Pick one" }],
    [{ templateMessage: { hydratedTemplate: { hydratedContentText: "Your order" } } }, { type: "template", text: "Your order" }],
    [{ interactiveMessage: { body: { text: "A shop" } } }, { type: "interactive", text: "A shop" }],
    [
      {
        pollCreationMessageV4: {
          message: { pollCreationMessageV3: { name: "?", options: [{ optionName: "!" }], selectableOptionsCount: 1 } },
        },
      },
      { type: "poll", text: "?", poll: { question: "?", options: ["!"], selectable_count: 1 } },
    ],
    [{ groupInviteMessage: { groupName: "Team" } }, { type: "group_invite", text: "Team" }],
    [
      {
        interactiveResponseMessage: { body: { text: "Two" }, nativeFlowResponseMessage: { name: "quick_reply", paramsJson: '{"id":"2"}' } },
      },
      { type: "button_response", text: "Two", selected: { button_id: "2", title: "Two" } },
    ],
    [
      {
        interactiveResponseMessage: {
          body: { text: "Row" },
          nativeFlowResponseMessage: { name: "single_select", paramsJson: '{"id":"r"}' },
        },
      },
      { type: "list_response", text: "Row", selected: { row_id: "r", title: "Row" } },
    ],
    [
      { interactiveResponseMessage: { nativeFlowResponseMessage: { name: "x", paramsJson: "no json" } } },
      { type: "button_response", text: null, selected: { button_id: "", title: "" } },
    ],
  ])("has its documented type: %j", (message, expected) => expect(said(message)).toEqual(expected));

  it.each<[proto.IMessage, object]>([
    [{ orderMessage: { message: "two pizzas" } }, { type: "order", text: "two pizzas" }],
    [{ requestPhoneNumberMessage: {} }, { type: "request_phone_number", text: null }],
    [{ newsletterAdminInviteMessage: { caption: "join us" } }, { type: "newsletter_admin_invite", text: "join us" }],
  ])("keeps the network's name if it is undocumented: %j", (message, expected) => expect(said(message)).toEqual(expected));

  it.each<proto.IMessage>([
    {},
    { conversation: "" },
    { protocolMessage: { type: 0 } },
    { reactionMessage: {} },
    { pollUpdateMessage: {} },
    { pinInChatMessage: {} },
    { keepInChatMessage: {} },
    { call: {} },
    { albumMessage: { expectedImageCount: 2 } },
    { senderKeyDistributionMessage: {} },
    { ephemeralMessage: {} },
  ])("is not rendered if it is no separate message: %j", (message) => expect(viewOf(wire(message))).toBeNull());
});

describe("a message", () => {
  const own = { phone: "5511900000001", lid: "100000000000001" };
  const lidsOf = (mappings: Record<string, string> = {}, mapped: string[] = []) =>
    new LidMapping({
      own: () => own,
      storedPhone: (lid) => mappings[lid] ?? null,
      onMapped: (lid, phone) => mapped.push(`${lid}=${phone}`),
    });

  it.each<[string, Record<string, unknown>, object]>([
    [
      "by phone",
      { remoteJid: "5511900000002@s.whatsapp.net" },
      { chatId: "5511900000002@c.us", sender: { phone: "5511900000002", lid: null } },
    ],
    [
      "by LID with the phone beside it",
      { remoteJid: "20000000000008@lid", remoteJidAlt: "5511900000002@s.whatsapp.net" },
      { chatId: "5511900000002@c.us" },
    ],
    [
      "by LID, known from before",
      { remoteJid: "20000000000003:7@lid" },
      { chatId: "5511900000003@c.us", sender: { phone: "5511900000003", lid: "20000000000003" } },
    ],
    [
      "by an unknown LID",
      { remoteJid: "20000000000009@lid" },
      { chatId: "20000000000009@lid", sender: { phone: null, lid: "20000000000009" } },
    ],
    [
      "own, whatever stands beside it",
      { remoteJid: "20000000000003@lid", remoteJidAlt: "5511900000001@s.whatsapp.net", fromMe: true },
      { chatId: "5511900000003@c.us", sender: null },
    ],
    ["to ourselves", { remoteJid: "100000000000001@lid", fromMe: true }, { chatId: "5511900000001@c.us" }],
    [
      "in a group",
      { remoteJid: "120363@g.us", participant: "20000000000003:2@lid" },
      { chatId: "120363@g.us", sender: { phone: "5511900000003" } },
    ],
    [
      "to a broadcast list",
      { remoteJid: "1234567@broadcast", participant: "5511900000002@s.whatsapp.net" },
      { chatId: "5511900000002@c.us" },
    ],
    ["in a channel", { remoteJid: "120363000000000001@newsletter" }, { chatId: "120363000000000001@newsletter", sender: null }],
  ])("has its chat and sender (%s)", (_what, key, expected) => {
    const place = sourceOf({ key: { id: "A", fromMe: false, ...key } }, lidsOf({ "20000000000003": "5511900000003" }));
    expect(place).toMatchObject(expected);
  });

  it.each(["0@s.whatsapp.net", "13135550002@bot", "server@c.us", "", undefined])(
    "has neither chat nor sender if it belongs to no chat (%s)",
    (remoteJid) => {
      expect(sourceOf({ key: { id: "A", fromMe: false, remoteJid: remoteJid ?? null } }, lidsOf())).toBeNull();
    },
  );

  it("names people by phone where the network mentions them by LID", () => {
    const lids = lidsOf({ "20000000000003": "5511900000003" });
    const message = {
      key: { remoteJid: "120363@g.us", participant: "20000000000004@lid", id: "A", fromMe: false },
      messageTimestamp: 1_700_000_000,
      message: wire({
        extendedTextMessage: {
          text: "@20000000000003 and @20000000000009",
          contextInfo: {
            mentionedJid: ["20000000000003@lid", "20000000000009@lid"],
            stanzaId: "B",
            // A quote carries no mentions.
            quotedMessage: { conversation: "@20000000000003? @200000000000031" },
          },
        },
      }),
    };
    const mapped = networkMessage(message, viewOf(message.message)!, sourceOf(message, lids)!, lids);
    expect(NetworkMessage.parse(mapped)).toMatchObject({
      text: "@5511900000003 and @20000000000009",
      quoted: { text: "@5511900000003? @200000000000031" },
      mentions: [
        { phone: "5511900000003", lid: "20000000000003" },
        { phone: null, lid: "20000000000009" },
      ],
    });
  });

  it("can be restored from its raw form", () => {
    const message = {
      key: { remoteJid: "5511900000002@s.whatsapp.net", id: "A", fromMe: true },
      messageTimestamp: 1_700_000_000,
      message: wire({ conversation: "hi" }),
    };
    expect(readRaw(rawOf(message))).toMatchObject({
      key: { id: "A", fromMe: true, remoteJid: "5511900000002@s.whatsapp.net" },
      message: { conversation: "hi" },
    });
    expect(readRaw("not a message")).toBeNull();
  });
});

describe("the LID mapping", () => {
  const own = { phone: "5511900000001", lid: "100000000000001" };

  it("reports a pair once, and only when the object may hold the LID without a phone", () => {
    const mapped: string[] = [];
    const lids = new LidMapping({ own: () => own, storedPhone: () => null, onMapped: (lid, phone) => mapped.push(`${lid}=${phone}`) });
    lids.learn("20000000000002@lid", "5511900000002@s.whatsapp.net");
    expect(mapped).toEqual([]);
    expect(lids.person("20000000000003@lid")).toEqual({ phone: null, lid: "20000000000003" });
    lids.learn("20000000000003@lid", "5511900000003@s.whatsapp.net");
    lids.person("20000000000003@lid");
    lids.person("20000000000002@lid");
    lids.person("5511900000002@s.whatsapp.net", "20000000000002@lid");
    expect(mapped).toEqual(["20000000000003=5511900000003", "20000000000002=5511900000002"]);
  });

  it("follows a LID to another phone", () => {
    const lids = new LidMapping({ own: () => own, storedPhone: () => null, onMapped: () => undefined });
    lids.learn("20000000000002@lid", "5511900000002@s.whatsapp.net");
    lids.learn("20000000000002@lid", "5511900000099@s.whatsapp.net");
    expect(lids.phoneOf("20000000000002")).toBe("5511900000099");
  });

  it("reports a pair again when the LID has moved to another phone, and forgets the old pair", () => {
    const mapped: string[] = [];
    const lids = new LidMapping({ own: () => own, storedPhone: () => null, onMapped: (lid, phone) => mapped.push(`${lid}=${phone}`) });
    lids.learn("20000000000002@lid", "5511900000002@s.whatsapp.net", true);
    lids.learn("20000000000002@lid", "5511900000099@s.whatsapp.net");
    expect(mapped).toEqual(["20000000000002=5511900000002", "20000000000002=5511900000099"]);
    expect(lids.person("5511900000002@s.whatsapp.net")).toEqual({ phone: "5511900000002", lid: null });
    lids.person("20000000000002@lid");
    expect(mapped).toHaveLength(2);
  });
});

describe("small parsers", () => {
  it("contact cards keep their number, and get the `waid` that phones look for", () => {
    const cards = cardsOf([
      { displayName: "Dora", vcard: "BEGIN:VCARD\nVERSION:3.0\nFN:Dora\nitem1.TEL;type=CELL:+55 11 90000-0009\nEND:VCARD" },
    ]);
    expect(cards).toMatchObject([{ full_name: "Dora", phone: "5511900000009" }]);
    expect(cards.map((card) => vcardOf({ ...card, phone: "5511900000009" })).join("")).toContain(
      "item1.TEL;type=CELL;waid=5511900000009:+55 11 90000-0009",
    );
    expect(vcardOf({ full_name: "A, B; C", phone: null, vcard: "" })).toContain("FN:A\\, B\\; C");
  });

  it.each([
    [null, null],
    [0, null],
    [-1, -1],
    ["18446744073709551615", -1],
    [1_900_000_000, 1_900_000_000],
    [1_900_000_000_000, 1_900_000_000],
  ])("the end of a mute is parsed in any unit: %s", (end, expected) => expect(mutedUntil(end)).toBe(expected));

  const picture = (width: number, height: number, background = "red") => sharp({ create: { width, height, channels: 3, background } });
  it.each([
    ["PNG", () => picture(3, 2).png().toBuffer(), { mimetype: "image/png", width: 3, height: 2, animated: false }],
    ["GIF", () => picture(4, 5).gif().toBuffer(), { mimetype: "image/gif", width: 4, height: 5, animated: false }],
    ["JPEG", () => picture(6, 7).jpeg().toBuffer(), { mimetype: "image/jpeg", width: 6, height: 7, animated: false }],
    ["WebP", () => picture(8, 9).webp().toBuffer(), { mimetype: "image/webp", width: 8, height: 9, animated: false }],
    ["a truncated picture", () => Buffer.from("89504e47", "hex"), null],
    ["SVG", () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"/>'), null],
    ["text", () => Buffer.from("hello there, no picture"), null],
    ["an empty file", () => Buffer.alloc(0), null],
  ])("reads the size of %s", async (_what, bytes, expected) => expect(await readImage(await bytes())).toEqual(expected));

  it("recognizes an animated sticker", async () => {
    const frames = await Promise.all([picture(8, 8), picture(8, 8, "blue")].map((frame) => frame.png().toBuffer()));
    const sticker = await sharp(frames, { join: { animated: true } })
      .webp()
      .toBuffer();
    expect(await readImage(sticker)).toMatchObject({ width: 8, animated: true });
  });
});
