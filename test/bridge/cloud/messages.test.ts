import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { freshNumber, must, openWorld, shown, type World } from "../phones/world.ts";
import { App, clients, isSigned, text, VERIFY_TOKEN, type Credentials } from "./world.ts";

describe("a cloud number", () => {
  const app = new App();
  const loja = freshNumber();
  let world: World;
  let number: Credentials;
  let ana: SimulatedPhone;
  const { connect, control, graphOf } = clients(() => ({ graph: world.graphUrl, control: world.controlUrl }));
  const graph = (method: string, path: string, body?: unknown) => graphOf(number)(method, path, body);
  const send = (body: object) => graph("POST", `/${number.phone_number_id}/messages`, body);

  beforeAll(async () => {
    world = await openWorld();
    await app.listen();
    number = await connect(app, { phone: loja });
    ana = await world.newPhone("Ana");
  });
  afterAll(async () => {
    await world.close();
    app.close();
  });

  it("has credentials like Meta's, and keeps them when created again", async () => {
    expect(number).toEqual({
      phone_number_id: expect.stringMatching(/^\d{15}$/),
      waba_id: expect.stringMatching(/^\d{15}$/),
      app_id: expect.stringMatching(/^\d{16}$/),
      access_token: expect.stringMatching(/^EAA\w+$/),
      app_secret: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(await control("POST", "/cloud/numbers", { phone: loja, name: "Outra" })).toEqual(number);
    const { data } = await control("GET", "/cloud/numbers");
    const { access_token: _, ...ids } = number;
    expect(data).toEqual([expect.objectContaining({ ...ids, phone: loja, name: "Loja", subscribed: true, callback: expect.anything() })]);
  });

  it("is visible only to its token, with the right proof", async () => {
    const path = `/${number.phone_number_id}?fields=display_phone_number,verified_name,quality_rating,status`;
    const proof = createHmac("sha256", number.app_secret).update(number.access_token).digest("hex");
    expect(await graph("GET", `${path}&appsecret_proof=${proof}`)).toMatchObject({
      status: 200,
      body: { id: number.phone_number_id, verified_name: "Loja", quality_rating: "GREEN", status: "CONNECTED" },
    });
    expect(await graph("GET", `${path}&appsecret_proof=${"0".repeat(64)}`)).toMatchObject({
      status: 400,
      body: { error: { code: 100, message: "Invalid appsecret_proof provided in the API argument", fbtrace_id: expect.any(String) } },
    });
    const stranger = { ...number, access_token: "EAAnot" };
    expect(await graphOf(stranger)("GET", path)).toMatchObject({ status: 401, body: { error: { code: 190, type: "OAuthException" } } });
  });

  it("accepts what published clients send: no plus, no version, contacts as a text", async () => {
    const base = { messaging_product: "whatsapp", to: ana.pn };
    const contacts = JSON.stringify([{ name: { formatted_name: "Bia", first_name: "Bia" }, phones: [{ phone: "+5511900000009" }] }]);
    const sent = [await send({ ...base, type: "text", text: { body: "oi" } }), await send({ ...base, type: "contacts", contacts })];
    for (const answer of sent) expect(answer).toMatchObject({ status: 200, body: { contacts: [{ input: ana.pn, wa_id: ana.pn }] } });
    await control("POST", "/cloud/templates", { waba_id: number.waba_id, name: "ola", language: "pt_BR", body: "Olá" });
    const listed = await graph("GET", `/${number.waba_id}/message_templates?name=ola`);
    expect(listed.body.data).toMatchObject([
      { name: "ola", language: "pt_BR", status: "APPROVED", components: [{ type: "BODY", text: "Olá" }] },
    ]);
    const headers = { authorization: `Bearer ${number.access_token}` };
    expect((await fetch(`${world.graphUrl}/${number.phone_number_id}`, { headers })).status).toBe(200);
  });

  it("sets a callback only after its handshake", async () => {
    const before = app.handshakes.length;
    const set = (verify_token: string) =>
      graph("POST", `/${number.phone_number_id}`, { webhook_configuration: { override_callback_uri: app.url, verify_token } });
    expect(await set("another")).toMatchObject({ status: 400, body: { error: { code: 2_200 } } });
    expect(await set(VERIFY_TOKEN)).toMatchObject({ status: 200, body: { success: true } });
    expect(app.handshakes.slice(before).map((query) => query.get("hub.mode"))).toEqual(["subscribe", "subscribe"]);
    const read = await graph("GET", `/${number.phone_number_id}?fields=webhook_configuration`);
    expect(read.body.webhook_configuration).toEqual({ phone_number: app.url });
  });

  it("lists who is subscribed, and to what", async () => {
    const { body } = await graph("GET", `/${number.waba_id}/subscribed_apps`);
    expect(body.data).toEqual([{ whatsapp_business_api_data: { id: number.app_id, name: "Loja app", link: expect.any(String) } }]);
    const asApp = { ...number, access_token: `${number.app_id}|${number.app_secret}` };
    const subscriptions = await graphOf(asApp)("GET", `/${number.app_id}/subscriptions`);
    expect(subscriptions.body.data[0].fields).toContainEqual({ name: "messages", version: "v23.0" });
  });

  it("reports contacts' messages, signed over the bytes as PHP writes them", async () => {
    must(await ana.sendText(loja, "olá/até"));
    const message = await app.message(({ text }) => text?.body === "olá/até");
    expect(message).toEqual({
      from: ana.pn,
      from_user_id: expect.stringMatching(/^BR\.\d+$/),
      id: expect.stringMatching(/^wamid\./),
      timestamp: expect.stringMatching(/^\d{10}$/),
      type: "text",
      text: { body: "olá/até" },
    });
    const webhook = app.received.find(({ raw }) => raw.includes(String.raw`ol\u00e1\/at\u00e9`));
    expect(webhook && isSigned(webhook, number.app_secret)).toBe(true);
    const [change] = webhook?.body.entry[0].changes ?? [];
    expect(change.value).toMatchObject({
      messaging_product: "whatsapp",
      metadata: { display_phone_number: loja, phone_number_id: number.phone_number_id },
      contacts: [{ profile: { name: "Ana" }, wa_id: ana.pn }],
    });
  });

  it("sends a text to a contact, and reports its statuses", async () => {
    const { status, body } = await send(text(ana.pn, "bom dia", { biz_opaque_callback_data: "m1.x" }));
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        messaging_product: "whatsapp",
        contacts: [{ input: `+${ana.pn}`, wa_id: ana.pn }],
        messages: [{ id: expect.stringMatching(/^wamid\./) }],
      },
    });
    const wamid = body.messages[0].id;
    await shown(ana, (record) => record.text === "bom dia" && record.from === loja);
    expect(await app.status(wamid, "delivered")).toMatchObject({ recipient_id: ana.pn, biz_opaque_callback_data: "m1.x" });
    await ana.read(loja);
    await app.status(wamid, "read");
    expect(new Set(app.statuses(wamid).map((one) => one.status))).toEqual(new Set(["sent", "delivered", "read"]));
  });

  it("fails undeliverable messages later: no window, no such number", async () => {
    const stranger = await world.newPhone("Eva");
    const closed = await send(text(stranger.pn, "olá"));
    const unknown = await send(text("5511955550000", "olá"));
    expect([closed.status, unknown.status]).toEqual([200, 200]);
    const failed = await app.status(closed.body.messages[0].id, "failed");
    expect(failed.errors).toEqual([expect.objectContaining({ code: 131_047, title: "Re-engagement message" })]);
    expect((await app.status(unknown.body.messages[0].id, "failed")).errors[0].code).toBe(131_026);
    expect(stranger.inbox()).toEqual([]);
  });

  it("refuses what Meta refuses", async () => {
    const code = async (body: object) => (await send(body)).body.error?.code;
    expect(await code(text(ana.pn, "x".repeat(4_097)))).toBe(100);
    expect(await code({ ...text(ana.pn, "x"), messaging_product: "sms" })).toBe(131_009);
    expect(await code({ messaging_product: "whatsapp", type: "text", text: { body: "x" } })).toBe(100);
    expect(await code({ ...text(ana.pn, "x"), type: "nothing" })).toBe(131_009);
    expect(await code(text(loja, "x"))).toBe(131_021);
    expect((await graph("POST", "/1234567890/messages", text(ana.pn, "x"))).body.error).toMatchObject({ code: 100, error_subcode: 33 });
  });
});
