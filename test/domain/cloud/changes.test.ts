import { describe, expect, it } from "vitest";
import { type ChangeItem, readChange } from "@gateway/domain/cloud/changes.ts";
import type { CloudIds } from "@gateway/domain/cloud/ids.ts";
import { contentIn, fileIn } from "@gateway/domain/cloud/view.ts";
import { KeyedEvent } from "@gateway/protocol/events.ts";
import { ANA, BSUID, idsInMemory, ME } from "./worlds.ts";

const NOW = Date.parse("2026-01-15T12:00:00Z");
const AT = NOW / 1000 - 5;
const METADATA = { display_phone_number: ME, phone_number_id: "106540352242922" };
const CONTACTS = [{ profile: { name: "Ana" }, wa_id: ANA }];

type Fields = Record<string, unknown>;

function read(field: string, value: Fields, ids: CloudIds = idsInMemory()): ChangeItem[] {
  const items = readChange(field, { messaging_product: "whatsapp", metadata: METADATA, ...value }, ids, NOW);
  // The contract accepts every resulting event.
  for (const item of items) if (item.kind === "event") KeyedEvent.parse(item.event);
  return items;
}

const messages = (fields: Fields, ids?: CloudIds, contacts: unknown = CONTACTS) =>
  read("messages", { contacts, messages: [{ from: ANA, id: "wamid.in1", timestamp: String(AT), ...fields }] }, ids);
const events = (items: ChangeItem[]) => items.flatMap((item) => (item.kind === "event" ? [item.event.event] : []));
const messageIn = (items: ChangeItem[]) => {
  const upsert = events(items).find((event) => event.type === "message.upsert");
  if (upsert === undefined) throw new Error("no message");
  return upsert;
};

describe("a received message", () => {
  it("is reported with its chat, sender and name, under its wamid", () => {
    const items = messages({ type: "text", text: { body: "Olá" } });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      kind: "event",
      chatId: `${ANA}@c.us`,
      file: null,
      event: { key: `message:${ANA}@c.us:in:wamid.in1` },
    });
    expect(messageIn(items)).toMatchObject({
      origin: "live",
      message: {
        message_id: "wamid.in1",
        chat_id: `${ANA}@c.us`,
        from_me: false,
        sender: { phone: ANA, lid: null },
        push_name: "Ana",
        timestamp: AT,
        type: "text",
        text: "Olá",
        forwarded: false,
        quoted: null,
      },
    });
  });

  const FILE = { id: "1003383421387256", mime_type: "image/jpeg", sha256: "SfInY0gGKTsJlUWbwxC1k+FAD0FZHvzwfpvO0zX0GUI=" };
  const HEX = "49f227634806293b0995459bc310b593e1400f41591efcf07e9bced335f41942";

  it.each([
    ["image", { image: { ...FILE, caption: "Um ponto" } }, "image", "Um ponto"],
    ["video", { video: { ...FILE, mime_type: "video/mp4" } }, "video", null],
    ["document", { document: { ...FILE, filename: "a.pdf", caption: "Leia" } }, "document", "Leia"],
    ["sticker", { sticker: { ...FILE, mime_type: "image/webp", animated: false } }, "sticker", null],
    ["audio", { audio: { ...FILE, mime_type: "audio/ogg; codecs=opus", voice: true } }, "voice", null],
    ["audio", { audio: { ...FILE, mime_type: "audio/mpeg", voice: false } }, "audio", null],
  ])("has a file to fetch if its type is %s (%#)", (type, content, shown, text) => {
    const items = messages({ type, ...content });
    const { message } = messageIn(items);
    const [named] = Object.values(content);
    expect(message).toMatchObject({ type: shown, text, media: { token: null, mimetype: named?.mime_type, sha256: HEX } });
    expect(items[0]).toMatchObject({ file: { mediaId: FILE.id, sha256: HEX } });
    expect(fileIn(message.raw)).toMatchObject({ mediaId: FILE.id, sha256: HEX });
  });

  it.each<[string, Fields, Fields]>([
    [
      "location",
      { location: { latitude: -23.5, longitude: "-46.6", name: "MASP" } },
      { location: { latitude: -23.5, longitude: -46.6, name: "MASP", address: null }, text: "MASP" },
    ],
    [
      "interactive",
      { interactive: { type: "list_reply", list_reply: { id: "ter", title: "Terça" } } },
      { type: "list_response", text: "Terça", selected: { row_id: "ter", title: "Terça" } },
    ],
    [
      "interactive",
      { interactive: { type: "button_reply", button_reply: { id: "sim", title: "Sim" } } },
      { type: "button_response", text: "Sim", selected: { button_id: "sim", title: "Sim" } },
    ],
    [
      "button",
      { button: { payload: "STOP", text: "Parar" } },
      { type: "button_response", text: "Parar", selected: { button_id: "STOP", title: "Parar" } },
    ],
    ["interactive", { interactive: { type: "nfm_reply", nfm_reply: { response_json: "{}" } } }, { type: "nfm_reply", text: null }],
    ["order", { order: { catalog_id: "1" } }, { type: "order", text: null }],
    ["unsupported", { unsupported: { type: "poll" } }, { type: "poll", text: null }],
    ["unsupported", {}, { type: "unsupported", text: null }],
    ["newer_than_us", { newer_than_us: 1 }, { type: "newer_than_us", text: null }],
  ])("has its content if its type is %s: %#", (type, content, shown) => {
    const { message } = messageIn(messages({ type, ...content }));
    expect(message).toMatchObject({ type, ...shown });
    expect(contentIn(message.raw)).toMatchObject({ type });
  });

  it("with contacts has their cards", () => {
    const card = {
      name: { formatted_name: "Bia Reis" },
      phones: [{ phone: "+55 11 98888-7777", wa_id: "5511988887777" }],
      org: { company: "Sol" },
    };
    const { message } = messageIn(messages({ type: "contacts", contacts: [card] }));
    expect(message).toMatchObject({ type: "contact", text: "Bia Reis", contacts: [{ full_name: "Bia Reis", phone: "5511988887777" }] });
    expect(message.contacts?.[0]?.vcard).toContain("waid=5511988887777:+5511988887777");
  });

  it("quotes our message by our id, and a message of others by its wamid", () => {
    const ids = idsInMemory({ "wamid.out": "3EB0OWN" });
    const own = messageIn(messages({ type: "text", text: { body: "sim" }, context: { from: ME, id: "wamid.out" } }, ids)).message;
    expect(own.quoted).toMatchObject({ message_id: "3EB0OWN", from_me: true, text: "Olá", type: "text" });
    const other = messageIn(messages({ type: "text", text: { body: "sim" }, context: { from: ANA, id: "wamid.z" } }, ids)).message;
    expect(other.quoted).toEqual({ message_id: "wamid.z", from: { phone: ANA, lid: null }, from_me: false, text: null, type: "unknown" });
  });

  it.each([["forwarded"], ["frequently_forwarded"]])("is marked as %s", (how) => {
    expect(messageIn(messages({ type: "text", text: { body: "!" }, context: { [how]: true } })).message.forwarded).toBe(true);
  });

  it("has an opaque chat if its sender shows no phone, and one chat once both names are known", () => {
    const ids = idsInMemory();
    const hidden = [{ profile: { name: "Ana", username: "ana" }, user_id: BSUID }];
    const first = messages({ from: undefined, from_user_id: BSUID, type: "text", text: { body: "a" } }, ids, hidden);
    expect(messageIn(first).message).toMatchObject({ chat_id: "90000000001@lid", sender: { phone: null, lid: "90000000001" } });
    expect(ids.asked).toContainEqual({ wa_id: undefined, user_id: BSUID, username: "ana" });
    const second = messages({ id: "wamid.in2", from_user_id: BSUID, type: "text", text: { body: "b" } }, ids);
    expect(events(second)[0]).toEqual({ type: "lid.mapped", lid: "90000000001", phone: ANA });
    expect(messageIn(second).message).toMatchObject({ chat_id: `${ANA}@c.us`, sender: { phone: ANA, lid: "90000000001" } });
  });

  it("in a group belongs to the group", () => {
    const { message } = messageIn(messages({ group_id: "Y2FwaV9ncm91cA", type: "text", text: { body: "oi" } }));
    expect(message).toMatchObject({ chat_id: "120363000001@g.us", sender: { phone: ANA } });
  });

  it.each([
    ["soon", AT],
    [Number.NaN, AT + 5],
    [String(AT + 200_000), AT + 5],
    [String(AT - 90_000), AT - 90_000],
  ])("has the time of receipt if Graph's %s is not a time", (timestamp, shown) => {
    expect(
      messageIn(messages({ timestamp: timestamp === "soon" ? AT : timestamp, type: "text", text: { body: "a" } })).message.timestamp,
    ).toBe(shown);
  });

  it("is reported without a file if the network could not transfer it", () => {
    const items = messages({ type: "image", errors: [{ code: 131052, title: "Media download error", error_data: { details: "x" } }] });
    expect(messageIn(items).message).toMatchObject({ type: "image", text: null, media: null });
    expect(items).toContainEqual({
      kind: "error",
      field: "messages",
      error: { code: 131052, subcode: null, type: null, traceId: null },
    });
  });

  it("does not hide the others if it cannot be read, and its content is not logged", () => {
    const good = { from: ANA, id: "wamid.b", timestamp: String(AT), type: "text", text: { body: "bom" } };
    const items = read("messages", { contacts: CONTACTS, messages: [{ from: ANA, id: "wamid.a", type: "text", text: "segredo" }, good] });
    expect(items[0]).toEqual({ kind: "unreadable", field: "messages", reason: "text: invalid_type" });
    expect(messageIn(items).message.text).toBe("bom");
    expect(JSON.stringify(items[0])).not.toContain("segredo");
  });

  it("is unreadable without a sender", () => {
    expect(messages({ from: undefined, type: "text", text: { body: "a" } }, idsInMemory(), [])).toEqual([
      { kind: "unreadable", field: "messages", reason: "from: missing" },
    ]);
  });
});

describe("a change of a message", () => {
  const ids = () => idsInMemory({ "wamid.out": "3EB0OWN" });

  it.each([
    ["👍", "👍"],
    ["", ""],
    [undefined, ""],
  ])("is reported for our message if it is the reaction %s", (emoji, reaction) => {
    const items = messages({ type: "reaction", reaction: { message_id: "wamid.out", emoji } }, ids());
    expect(items).toMatchObject([{ event: { key: "cloud:wamid.in1" } }]);
    expect(events(items)).toEqual([
      {
        type: "message.reaction",
        chat_id: `${ANA}@c.us`,
        message_id: "3EB0OWN",
        from_me: false,
        sender: { phone: ANA, lid: null },
        reaction,
        timestamp: AT,
      },
    ]);
  });

  it("names the message that it edits or revokes", () => {
    const edit = { original_message_id: "wamid.a", message: { type: "text", text: { body: "melhor" } } };
    expect(events(messages({ type: "edit", edit }))).toMatchObject([
      { type: "message.edited", message_id: "wamid.a", text: "melhor", from_me: false },
    ]);
    expect(events(messages({ type: "revoke", revoke: { original_message_id: "wamid.a" } }))).toMatchObject([
      { type: "message.deleted", message_id: "wamid.a", from_me: false, author: { phone: ANA }, by: { phone: ANA } },
    ]);
  });

  it("is an own message of another device if it was made on the business's own phone", () => {
    const echo = { from: ME, to: ANA, id: "wamid.echo", timestamp: String(AT), type: "text", text: { body: "Já vai" } };
    const items = read("smb_message_echoes", { message_echoes: [echo] });
    expect(messageIn(items)).toMatchObject({
      origin: "own_device",
      message: { message_id: "wamid.echo", chat_id: `${ANA}@c.us`, from_me: true, sender: null, push_name: null, text: "Já vai" },
    });
  });
});

describe("a status", () => {
  const status = (fields: Fields, ids?: CloudIds) =>
    read("messages", { statuses: [{ id: "wamid.out", status: "delivered", timestamp: String(AT), recipient_id: ANA, ...fields }] }, ids);

  it("identifies its message, and returns our id", () => {
    expect(status({ biz_opaque_callback_data: "m1.3EB0OWN", recipient_user_id: BSUID })).toEqual([
      expect.objectContaining({
        kind: "event",
        event: { key: `lid:90000000001:${ANA}`, event: { type: "lid.mapped", lid: "90000000001", phone: ANA } },
      }),
      {
        kind: "status",
        chatId: `${ANA}@c.us`,
        status: {
          wamid: "wamid.out",
          status: "delivered",
          messageId: "3EB0OWN",
          recipient: { phone: ANA, lid: "90000000001" },
          participant: null,
          chatId: `${ANA}@c.us`,
          errors: [],
          timestamp: AT,
        },
      },
    ]);
  });

  it.each([["campaign-7"], ["m1."], [undefined]])("names no message of ours if another app set its callback data (%s)", (data) => {
    expect(status({ biz_opaque_callback_data: data })).toMatchObject([{ kind: "status", status: { messageId: null } }]);
  });

  it("names the group and the participant if it is about a group", () => {
    const items = status({ recipient_id: "Y2FwaQ", recipient_type: "group", recipient_participant_id: ANA });
    expect(items).toMatchObject([
      { chatId: "120363000001@g.us", status: { recipient: null, participant: { phone: ANA }, chatId: "120363000001@g.us" } },
    ]);
  });

  it("has its errors if it failed, and may come without a recipient", () => {
    const errors = [{ code: 131047, title: "Re-engagement message", error_data: { details: "24 hours" } }];
    expect(status({ status: "failed", recipient_id: undefined, errors })).toMatchObject([
      { kind: "status", chatId: null, status: { status: "failed", errors: [{ code: 131047 }] } },
    ]);
  });

  it("is ignored if it is unknown", () => {
    expect(status({ status: "warmed" })).toEqual([{ kind: "ignored", field: "messages", reason: "status" }]);
  });
});

describe("another change", () => {
  it("reports that a person's number or user id has changed", () => {
    const number = { type: "system", system: { type: "user_changed_number", body: "…", wa_id: "12195555358" } };
    expect(messages(number, idsInMemory(), [])).toEqual([
      { kind: "moved", from: { phone: ANA, userId: null }, to: { phone: "12195555358", userId: null } },
    ]);
    const userId = { from_user_id: BSUID, type: "system", system: { type: "user_changed_user_id", body: "…", user_id: "BR.2" } };
    expect(messages(userId, idsInMemory(), [])).toEqual([
      { kind: "moved", from: { phone: ANA, userId: BSUID }, to: { phone: ANA, userId: "BR.2" } },
    ]);
    expect(messages({ type: "system", system: { type: "customer_identity_changed" } })).toMatchObject([{ kind: "ignored" }]);
  });

  it.each([
    ["connect", "received"],
    ["terminate", "ended"],
  ])("reports a call's %s as %s", (event, status) => {
    const call = { id: "wacid.1", from: ANA, to: ME, event, direction: "USER_INITIATED", timestamp: String(AT) };
    const items = read("calls", { calls: [call] });
    expect(items).toMatchObject([{ kind: "event", event: { key: `cloud:call:wacid.1:${event}` } }]);
    expect(events(items)).toMatchObject([
      { type: "call", call_id: "wacid.1", chat_id: `${ANA}@c.us`, from: { phone: ANA }, status, is_video: false },
    ]);
  });

  it.each([["account_update"], ["phone_number_quality_update"], ["message_template_status_update"], ["security"]])(
    "triggers a check of the number if its field is %s",
    (field) => {
      expect(read(field, { event: "VERIFIED_ACCOUNT" })).toEqual([{ kind: "recheck", field }]);
    },
  );

  it("is ignored if its field is unknown, and reported if it is an error of the network", () => {
    expect(read("flows", {})).toEqual([{ kind: "ignored", field: "flows", reason: "field" }]);
    expect(read("messages", { errors: [{ code: 130429, title: "Rate limit hit" }] })).toMatchObject([
      { kind: "error", error: { code: 130429 } },
    ]);
    expect(readChange("messages", "no object", idsInMemory(), NOW)).toMatchObject([{ kind: "unreadable", field: "messages" }]);
  });
});

describe("names that JavaScript objects already have", () => {
  const NAMES = ["constructor", "toString", "hasOwnProperty", "__proto__", "valueOf"];

  it.each(NAMES)("are read as types and fields like any unknown one (%s)", (name) => {
    expect(read(name, {})).toEqual([{ kind: "ignored", field: name, reason: "field" }]);
    expect(messageIn(messages({ type: name })).message).toMatchObject({ type: name, text: null });
    expect(messageIn(messages({ type: "interactive", interactive: { type: name } })).message).toMatchObject({ type: name, text: null });
    const call = { id: "c1", from: ANA, event: name, timestamp: String(AT) };
    expect(read("calls", { calls: [call] })).toEqual([{ kind: "ignored", field: "calls", reason: "call" }]);
    const group = { group_id: "Y2Fw", type: name, timestamp: String(AT) };
    const field = "group_settings_update";
    expect(read(field, { groups: [group] })).toEqual([{ kind: "ignored", field, reason: name }]);
  });
});

describe("an unreadable addition to a message", () => {
  it("hides nothing else of the message", () => {
    const contacts = [null, { wa_id: ANA, profile: "Ana" }, ...CONTACTS];
    const items = messages(
      { type: "text", text: { body: "Olá" }, errors: [{ title: "no code" }, { code: null }, "?"] },
      undefined,
      contacts,
    );
    expect(items).toHaveLength(1);
    expect(messageIn(items).message).toMatchObject({ push_name: "Ana", text: "Olá" });
    const status = {
      id: "wamid.1",
      status: "failed",
      timestamp: AT,
      recipient_id: ANA,
      errors: [{ code: null }],
      biz_opaque_callback_data: 7,
    };
    const failed = read("messages", { statuses: [status], errors: [{ title: "no code" }] });
    expect(failed).toMatchObject([{ kind: "status", status: { wamid: "wamid.1", status: "failed", errors: [], messageId: null } }]);
  });
});
