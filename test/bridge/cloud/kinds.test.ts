import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must, shown } from "../phones/world.ts";
import { judgeTraffic } from "../../contract/traffic.ts";
import { openCloud, text, type Cloud } from "./world.ts";

const JPEG = Buffer.from("a picture, as far as anybody looks");
const hex = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe("every kind of message", () => {
  let cloud: Cloud;
  const to = () => `+${cloud.ana.pn}`;
  const base = () => ({ messaging_product: "whatsapp", recipient_type: "individual", to: to() });

  beforeAll(async () => void (cloud = await openCloud()));
  afterAll(() => cloud.close());

  const upload = async (bytes: Buffer, type: string, name = "file"): Promise<string> => {
    const form = new FormData();
    form.set("messaging_product", "whatsapp");
    form.set("type", type);
    form.set("file", new Blob([new Uint8Array(bytes)], { type }), name);
    const { status, body } = await cloud.graph("POST", `/${cloud.number.phone_number_id}/media`, form);
    expect({ status, body }).toEqual({ status: 200, body: { id: expect.stringMatching(/^\d{16}$/) } });
    return body.id;
  };
  const sent = async (body: object): Promise<string> => {
    const answer = await cloud.send({ ...base(), ...body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body.messages[0].id;
  };
  const next = (type: string) => shown(cloud.ana, (record) => record.from === cloud.phone && record.type === type);

  it.each([
    ["image", "image/jpeg", "image"],
    ["video", "video/mp4", "video"],
    ["document", "application/pdf", "document"],
    ["sticker", "image/webp", "sticker"],
  ])("a file goes out as %s", async (type, mimetype, seen) => {
    const id = await upload(JPEG, mimetype, "a.bin");
    const caption = type === "sticker" ? {} : { caption: `see ${type}` };
    await sent({ type, [type]: { id, ...caption, ...(type === "document" && { filename: "a.pdf" }) } });
    const record = await next(seen);
    expect(record.media).toMatchObject({ sha256: hex(JPEG), mimetype, ...(type === "document" && { filename: "a.pdf" }) });
    expect(record.text).toBe(type === "sticker" ? null : `see ${type}`);
  });

  it.each([
    [true, "voice"],
    [undefined, "audio"],
  ])("a sound with voice %s is %s", async (voice, seen) => {
    const id = await upload(JPEG, "audio/ogg; codecs=opus");
    await sent({ type: "audio", audio: { id, ...(voice && { voice }) } });
    expect((await next(seen)).media?.sha256).toBe(hex(JPEG));
  });

  it("location, contacts, list, buttons and reply arrive unchanged", async () => {
    const quoted = await sent({ type: "text", text: { body: "first" } });
    const first = await shown(cloud.ana, (record) => record.text === "first");
    await sent({ type: "text", text: { body: "second" }, context: { message_id: quoted } });
    expect((await shown(cloud.ana, (record) => record.text === "second")).quoted_id).toBe(first.message_id);

    await sent({ type: "location", location: { latitude: -23.5, longitude: "-46.6", name: "Loja", address: "Rua 1" } });
    expect((await next("location")).location).toEqual({ latitude: -23.5, longitude: -46.6, name: "Loja", address: "Rua 1" });

    const card = {
      name: { formatted_name: "Bia Sá", first_name: "Bia" },
      phones: [{ phone: "+55 11 90000-0000", wa_id: "5511900000000" }],
    };
    await sent({ type: "contacts", contacts: [card] });
    expect((await next("contact")).contacts).toEqual([expect.objectContaining({ full_name: "Bia Sá", phone: "5511900000000" })]);

    const rows = [
      { id: "r1", title: "One", description: "the first" },
      { id: "r2", title: "Two" },
    ];
    const list = { type: "list", body: { text: "choose" }, action: { button: "Open", sections: [{ title: "All", rows }] } };
    await sent({ type: "interactive", interactive: list });
    expect(await next("list")).toMatchObject({
      text: "choose",
      choices: [
        { id: "r1", title: "One" },
        { id: "r2", title: "Two" },
      ],
    });

    const buttons = [{ type: "reply", reply: { id: "yes", title: "Yes" } }];
    await sent({ type: "interactive", interactive: { type: "button", body: { text: "sure?" }, action: { buttons } } });
    expect(await next("buttons")).toMatchObject({ text: "sure?", choices: [{ id: "yes", title: "Yes" }] });
  });

  it("reactions go both ways", async () => {
    const wamid = await sent({ type: "text", text: { body: "react to me" } });
    const { message_id } = await shown(cloud.ana, (record) => record.text === "react to me");
    must(await cloud.ana.react(cloud.phone, message_id, "👍"));
    const { reaction } = await cloud.app.message(({ reaction }) => reaction?.message_id === wamid);
    expect(reaction).toEqual({ message_id: wamid, emoji: "👍" });
    must(await cloud.ana.react(cloud.phone, message_id, ""));
    await cloud.app.message(({ reaction }) => reaction?.message_id === wamid && !("emoji" in reaction));

    must(await cloud.ana.sendText(cloud.phone, "and to me"));
    const { id } = await cloud.app.message((message) => message.text?.body === "and to me");
    const own = await sent({ type: "reaction", reaction: { message_id: id, emoji: "🎉" } });
    await shown(cloud.ana, (record) => record.text === "and to me" && record.reactions.some(({ reaction }) => reaction === "🎉"));
    await cloud.app.status(own, "sent");
  });

  it("messages are marked as read up to the given one, and typing is shown", async () => {
    must(await cloud.ana.sendText(cloud.phone, "read me"));
    const { id } = await cloud.app.message((message) => message.text?.body === "read me");
    const read = { messaging_product: "whatsapp", status: "read", message_id: id, typing_indicator: { type: "text" } };
    expect(await cloud.send(read)).toMatchObject({ status: 200, body: { success: true } });
    const { message_id } = cloud.ana.inbox().find((record) => record.text === "read me") ?? {};
    await expect.poll(() => cloud.ana.deps.receipts.list(message_id).map(({ kind }) => kind)).toContain("read");
    await expect
      .poll(async () => (await cloud.control("GET", `/phones/${cloud.ana.pn}/presence?chat_id=${cloud.phone}`)).data.history)
      .toContainEqual(expect.objectContaining({ presence: "typing" }));
    expect((await cloud.send({ ...read, message_id: "wamid.none" })).body.error.code).toBe(100);
  });

  it("a contact's message arrives with its content", async () => {
    const { ana, app, phone } = cloud;
    const file = (mimetype: string, filename: string | null = null) => ({ bytes: JPEG, mimetype, filename });
    must(await ana.send(phone, { type: "image", file: file("image/jpeg"), caption: "a picture", view_once: false }));
    must(await ana.send(phone, { type: "voice", file: file("audio/ogg; codecs=opus"), view_once: false }));
    must(await ana.send(phone, { type: "document", file: file("application/pdf", "b.pdf"), caption: null }));
    must(await ana.send(phone, { type: "location", latitude: 1, longitude: 2, name: "There", address: null }));
    must(await ana.send(phone, { type: "contact", contacts: [{ full_name: "Rui Melo", phone: "5511933334444" }] }));
    must(await ana.send(phone, { type: "poll", question: "?", options: ["a", "b"], selectable_count: 1 }));
    const messageOf = (type: string) => app.message((message) => message.type === type);
    const hash = createHash("sha256").update(JPEG).digest("base64");
    const media = { id: expect.any(String), sha256: hash };
    expect((await messageOf("image")).image).toEqual({ ...media, mime_type: "image/jpeg", caption: "a picture" });
    expect((await messageOf("audio")).audio).toEqual({ ...media, mime_type: "audio/ogg; codecs=opus", voice: true });
    expect((await messageOf("document")).document).toEqual({ ...media, mime_type: "application/pdf", filename: "b.pdf" });
    expect((await messageOf("location")).location).toEqual({ latitude: 1, longitude: 2, name: "There" });
    expect((await messageOf("contacts")).contacts[0]).toMatchObject({
      name: { formatted_name: "Rui Melo" },
      phones: [{ phone: "+5511933334444", wa_id: "5511933334444" }],
    });
    expect(await messageOf("unsupported")).toMatchObject({ errors: [{ code: 131_051 }], unsupported: { type: "poll" } });
  });

  it("answers to a list, to buttons and to a template's quick reply are distinguished", async () => {
    const { ana, app, phone } = cloud;
    const list = ana.inbox().find(({ type }) => type === "list");
    const buttons = ana.inbox().find(({ type }) => type === "buttons");
    must(await ana.send(phone, { type: "list_response", row_id: "r2", title: "Two" }, { quotedId: list?.message_id }));
    must(await ana.send(phone, { type: "button_response", button_id: "yes", title: "Yes" }, { quotedId: buttons?.message_id }));
    const row = await app.message(({ interactive }) => interactive?.type === "list_reply");
    expect(row.interactive.list_reply).toEqual({ id: "r2", title: "Two" });
    const reply = await app.message(({ interactive }) => interactive?.type === "button_reply");
    expect(reply.interactive.button_reply).toEqual({ id: "yes", title: "Yes" });
    expect(reply.context).toEqual({ from: phone, id: expect.stringMatching(/^wamid\./) });

    const { waba_id } = cloud.number;
    await cloud.control("POST", "/cloud/templates", { waba_id, name: "hi", language: "pt_BR", body: "Oi {{1}}", buttons: ["Sair"] });
    const components = [{ type: "body", parameters: [{ type: "text", text: "Ana" }] }];
    await sent({ type: "template", template: { name: "hi", language: { code: "pt_BR" }, components } });
    const template = await next("template");
    expect(template).toMatchObject({ text: "Oi Ana", choices: [{ id: "Sair", title: "Sair" }] });
    must(await ana.send(phone, { type: "button_response", button_id: "Sair", title: "Sair" }, { quotedId: template.message_id }));
    expect((await app.message(({ type }) => type === "button")).button).toEqual({ payload: "Sair", text: "Sair" });
  });

  it("templates go out without a window, unless they are unknown, incomplete or paused", async () => {
    const { waba_id } = cloud.number;
    const eva = await cloud.world.newPhone("Eva");
    const template = (name: string, ...parameters: string[]) => ({
      ...base(),
      to: `+${eva.pn}`,
      type: "template",
      template: {
        name,
        language: { code: "pt_BR" },
        components: [{ type: "body", parameters: parameters.map((text) => ({ type: "text", text })) }],
      },
    });
    const good = await cloud.send(template("hi", "Eva"));
    expect(good.body.messages[0]).toMatchObject({ message_status: "accepted" });
    await shown(eva, (record) => record.text === "Oi Eva");
    const code = async (body: object) => (await cloud.send(body)).body.error?.code;
    expect(await code(template("hi"))).toBe(132_000);
    expect(await code(template("none"))).toBe(132_001);
    await cloud.control("POST", "/cloud/templates", { waba_id, name: "hi", language: "pt_BR", body: "Oi {{1}}", status: "PAUSED" });
    expect(await code(template("hi", "Eva"))).toBe(132_015);
  });

  it("the window closes after 24 hours of the cloud's clock, and opens with a message", async () => {
    await cloud.control("POST", "/cloud/clock", { offset_s: 25 * 3_600 });
    const late = await cloud.send(text(cloud.ana.pn, "too late"));
    expect((await cloud.app.status(late.body.messages[0].id, "failed")).errors[0].code).toBe(131_047);
    must(await cloud.ana.sendText(cloud.phone, "again"));
    await cloud.app.message((message) => message.text?.body === "again");
    await sent({ type: "text", text: { body: "in time" } });
    await shown(cloud.ana, (record) => record.text === "in time");
  });

  it("conforms to Meta's description", async () => {
    expect((await judgeTraffic(cloud.world.controlUrl)).problems).toEqual([]);
  });
});
