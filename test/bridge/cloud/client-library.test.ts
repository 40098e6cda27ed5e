// Calls all methods of an unmodified third-party client library for Meta's Cloud API on the simulated Graph. The local network supports
// only template bodies and buttons. It refuses voice calls (neither made nor accepted), catalogs and flows.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WhatsAppAPI } from "whatsapp-api-js";
import * as content from "whatsapp-api-js/messages";
import type { ClientMessage } from "whatsapp-api-js/types";
import { placeCall } from "#root/test-network/phone/calls.ts";
import { joinGroup } from "#root/test-network/phone/groups.ts";
import { JPEG, MP4, PNG, sha256 } from "../../support/sample-files.ts";
import { must, shown } from "../phones/world.ts";
import { openCloud, type Cloud, VERIFY_TOKEN } from "./world.ts";

const FILES: Readonly<Record<string, [type: string, bytes: Buffer]>> = {
  "/jpeg": ["image/jpeg", JPEG],
  "/mp4": ["video/mp4; codecs=avc1", MP4],
  "/ogg": ["audio/ogg", Buffer.from("OggS")],
  "/webp": ["image/webp", Buffer.from("RIFF")],
  "/html": ["text/html", Buffer.from("<html>")],
};
const ACCEPTED = { messages: [expect.objectContaining({ id: expect.any(String) }) as { id: string }] };
const body = new content.Body("corpo");

let cloud: Cloud;
let library: WhatsAppAPI;
let phoneId: string;
const used = new Set<string>();
const server = createServer((request, response) => {
  const [type, bytes] = FILES[request.url ?? ""] ?? [];
  if (type === undefined) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": type }).end(bytes);
});
const linkTo = (name: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`;

beforeAll(async () => {
  cloud = await openCloud();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  phoneId = cloud.number.phone_number_id;
  const own = new WhatsAppAPI({
    token: cloud.number.access_token,
    appSecret: cloud.number.app_secret,
    webhookVerifyToken: VERIFY_TOKEN,
    v: "v23.0",
    ponyfill: {
      fetch: (url, init) => fetch(new Request(url).url.replace("https://graph.facebook.com", cloud.world.graphUrl), init),
    },
  });
  library = new Proxy(own, {
    get(target, name, receiver) {
      used.add(String(name));
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
});
afterAll(async () => {
  await cloud.close();
  server.closeAllConnections();
  server.close();
});

const send = (message: ClientMessage) => library.sendMessage(phoneId, cloud.ana.pn, message);
const upload = async (bytes: Buffer, type: string) => {
  const form = new FormData();
  form.set("file", new File([bytes], "ponto", { type }));
  return ((await library.uploadMedia(phoneId, form)) as { id: string }).id;
};

describe("a message", () => {
  it("with a file, uploaded or linked, shows it on the contact's phone", async () => {
    const jpeg = await upload(JPEG, "image/jpeg");
    const png = await upload(PNG, "image/png");
    const messages: [type: string, bytes: Buffer, message: ClientMessage][] = [
      ["image", JPEG, new content.Image(jpeg, true, "legenda")],
      ["image", JPEG, new content.Image(linkTo("jpeg"), false, "legenda")],
      ["document", PNG, new content.Document(png, true, "documento", "ponto.png")],
      ["document", MP4, new content.Document(linkTo("mp4"), false, undefined, "filme.mp4")],
      ["video", MP4, new content.Video(linkTo("mp4"))],
      ["audio", Buffer.from("OggS"), new content.Audio(linkTo("ogg"))],
      ["voice", Buffer.from("OggS"), new content.Audio(linkTo("ogg"), false, true)],
      ["sticker", Buffer.from("RIFF"), new content.Sticker(linkTo("webp"))],
    ];
    const seen = new Set<string>();
    for (const [type, bytes, message] of messages) {
      expect([type, await send(message)]).toEqual([type, expect.objectContaining(ACCEPTED)]);
      const { message_id } = await shown(cloud.ana, (record) => {
        return !seen.has(record.message_id) && record.type === type && record.media?.sha256 === sha256(bytes);
      });
      seen.add(message_id);
    }
    const dressed = new content.Interactive(
      new content.ActionButtons(new content.Button("sim", "Sim")),
      body,
      new content.Header(new content.Image(linkTo("jpeg"))),
    );
    expect(await send(dressed)).toMatchObject(ACCEPTED);
  });

  it.each([
    ["that is not there", "missing"],
    ["of another kind", "html"],
  ])("with a file %s fails with a status", async (_what, name) => {
    const sent = (await send(new content.Image(linkTo(name)))) as typeof ACCEPTED;
    const failed = await cloud.app.status(sent.messages[0]?.id ?? "", "failed");
    expect(failed.errors[0].code).toBe(131_053);
  });

  it("is accepted with every other kind", async () => {
    must(await cloud.ana.sendText(cloud.phone, "oi"));
    const incoming = await cloud.app.message(({ text }) => text?.body === "oi");
    await cloud.control("POST", "/cloud/templates", {
      waba_id: cloud.number.waba_id,
      name: "ola",
      language: "pt_BR",
      body: "Olá, {{1}}: {{2}} até {{3}}",
      buttons: ["Pagar"],
    });
    const template = new content.Template(
      "ola",
      new content.Language("pt_BR"),
      new content.BodyComponent(
        new content.BodyParameter("Ana"),
        new content.BodyParameter(new content.Currency(1_000, "BRL", "R$ 1,00")),
        new content.BodyParameter(new content.DateTime("terça")),
      ),
      new content.PayloadComponent("pago"),
    );
    const messages: ClientMessage[] = [
      new content.Text("texto"),
      new content.Location(-46.65, -23.56, "MASP"),
      new content.Contacts([new content.Name("Bia", "Bia"), new content.Phone("+5511900000009")]),
      new content.Reaction(incoming.id, "👍"),
      new content.Reaction(incoming.id),
      new content.Interactive(new content.ActionButtons(new content.Button("sim", "Sim")), body, new content.Header("título")),
      new content.Interactive(new content.ActionList("Ver", new content.ListSection("Dias", new content.Row("ter", "Terça"))), body),
      new content.Interactive(new content.ActionCTA("Abrir", "https://example.com/"), body, undefined, new content.Footer("rodapé")),
      new content.Interactive(new content.ActionLocation(), body),
      new content.Interactive(new content.ActionContactRequest(), body),
      template,
    ];
    for (const message of messages)
      expect([message._type, await send(message)]).toEqual([message._type, expect.objectContaining(ACCEPTED)]);
    await shown(cloud.ana, ({ text }) => text === "Olá, Ana: R$ 1,00 até terça");
  });

  it.each([
    ["the catalog", new content.Interactive(new content.ActionCatalog(new content.Product("1")), body)],
    ["a product", new content.Interactive(new content.ActionProduct(new content.CatalogProduct("1", "2")))],
    ["a flow", new content.Interactive(new content.ActionNavigateFlow("t", "1", "Abrir", "INICIO"), body)],
    ["a call's permission", new content.Interactive(new content.ActionCallPermission(), body)],
  ])("with %s is refused", async (_what, message) => expect(await send(message)).toMatchObject({ error: { code: 131_009 } }));

  it("goes to many recipients, to a contact without a number, and to a group", async () => {
    const bia = await cloud.contact("Bia");
    const answers = library.broadcastMessage(phoneId, [cloud.ana.pn, bia.pn], new content.Text("a todos"), 1, 1);
    for (const answer of answers) expect(await answer).toMatchObject(ACCEPTED);
    await shown(cloud.ana, ({ text }) => text === "a todos");
    await shown(bia, ({ text }) => text === "a todos");
    const { from_user_id: bsuid } = await cloud.app.message(({ text }) => text?.body === "Bia writes first");
    expect(await library.sendMessage(phoneId, { bsuid }, new content.Text("só você"))).toMatchObject({ contacts: [{ user_id: bsuid }] });
    await shown(bia, ({ text }) => text === "só você");
    await cloud.graph("POST", `/${phoneId}/groups`, { messaging_product: "whatsapp", subject: "Clientes" });
    const created = await cloud.app.change(({ value }) => value.groups?.[0]?.type === "group_create");
    const [{ group_id: group, invite_link: invitation }] = created.value.groups;
    must(await bia.act((deps) => joinGroup(deps, invitation.replace(/^.*\//, ""))));
    expect(await library.sendMessage(phoneId, { group }, new content.Text("ao grupo"))).toMatchObject(ACCEPTED);
    await shown(bia, ({ text }) => text === "ao grupo");
  });
});

it("files are uploaded, looked up, fetched and deleted", async () => {
  const id = await upload(PNG, "image/png");
  const found = (await library.retrieveMedia(id, phoneId)) as { url: string };
  expect(found).toMatchObject({ id, mime_type: "image/png", sha256: sha256(PNG) });
  expect(Buffer.from(await (await library.fetchMedia(found.url)).arrayBuffer())).toEqual(PNG);
  expect(await library.deleteMedia(id, phoneId)).toEqual({ success: true });
  expect(await library.retrieveMedia(id)).toMatchObject({ error: { code: 100 } });
});

it("QR codes are made, listed, changed and deleted", async () => {
  const first = (await library.createQR(phoneId, "Quero comprar")) as { code: string; qr_image_url: string };
  const shape = { code: first.code, prefilled_message: "Quero comprar", deep_link_url: `https://wa.me/message/${first.code}` };
  expect(first).toEqual({ ...shape, qr_image_url: expect.any(String) });
  const second = (await library.createQR(phoneId, "Oi", "svg")) as { code: string; qr_image_url: string };
  for (const [{ qr_image_url }, type] of [
    [first, "image/png"],
    [second, "image/svg+xml"],
  ] as const)
    expect((await fetch(qr_image_url)).headers.get("content-type")).toBe(type);
  expect(await library.retrieveQR(phoneId)).toMatchObject({ data: [shape, { code: second.code }] });
  expect(await library.updateQR(phoneId, first.code, "Quero vender")).toEqual({ ...shape, prefilled_message: "Quero vender" });
  expect(await library.retrieveQR(phoneId, first.code)).toEqual({ data: [{ ...shape, prefilled_message: "Quero vender" }] });
  expect(await library.deleteQR(phoneId, first.code)).toEqual({ success: true });
  expect(await library.retrieveQR(phoneId, first.code)).toMatchObject({ error: { code: 100 } });
  const other = await cloud.connect(cloud.app, { phone: (await cloud.world.newPhone("Outra")).pn });
  const foreign = cloud.graphOf(other);
  expect((await foreign("GET", `/${other.phone_number_id}/message_qrdls/${second.code}`)).status).toBe(400);
});

it("people are blocked and unblocked, by number and by user id", async () => {
  const { from_user_id: bsuid } = await cloud.app.message(({ text }) => text?.body === "Ana writes first");
  const users = [{ wa_id: cloud.ana.pn }];
  expect(await library.blockUser(phoneId, cloud.ana.pn)).toMatchObject({ block_users: { added_users: users } });
  expect(await library.unblockUser(phoneId, cloud.ana.pn)).toMatchObject({ block_users: { removed_users: users } });
  expect(await library.blockUser(phoneId, { bsuid })).toMatchObject({ block_users: { added_users: users } });
  expect(await library.unblockUser(phoneId, { bsuid })).toMatchObject({ block_users: { removed_users: users } });
});

describe("a webhook", () => {
  /** Passes the first matching webhook to the library, unchanged. */
  const post = async (meant: (change: { field: string; value: any }) => boolean) => {
    await cloud.app.change(meant);
    const webhook = cloud.app.received.find(({ body: { entry } }) => entry[0].changes.some(meant));
    if (webhook === undefined) throw new Error("no such webhook");
    return library.post(webhook.body, webhook.raw, webhook.signature ?? "");
  };

  it("is verified, read, marked as read and answered for a message", async () => {
    const answered = Promise.withResolvers<unknown>();
    library.on.message = ({ reply, received, message }) => {
      if (message.type !== "text") return;
      const marked = received("text");
      answered.resolve(marked.then(async (mark) => [mark, await reply(new content.Text(`eco ${message.text.body}`), true)]));
    };
    must(await cloud.ana.sendText(cloud.phone, "alô"));
    await post(({ value }) => value.messages?.[0]?.text?.body === "alô");
    expect(await answered.promise).toEqual([{ success: true }, expect.objectContaining(ACCEPTED)]);
    const echo = await shown(cloud.ana, ({ text }) => text === "eco alô");
    expect(echo.quoted_id).not.toBeNull();
    expect(await library.markAsRead(phoneId, "wamid.unknown")).toMatchObject({ error: { code: 100 } });
  });

  it("carries in a status what was sent with the message", async () => {
    const statuses: unknown[] = [];
    library.on.status = ({ status, biz_opaque_callback_data }) => void statuses.push([status, biz_opaque_callback_data]);
    const sent = await library.sendMessage(phoneId, cloud.ana.pn, new content.Text("com dado"), undefined, "pedido 7");
    const [{ id }] = (sent as typeof ACCEPTED).messages as [{ id: string }];
    await post(({ value }) => value.statuses?.[0]?.id === id);
    expect(statuses).toEqual([[expect.any(String), "pedido 7"]]);
  });

  it("lets a call be rejected; calls are neither made nor accepted", async () => {
    const answers: Promise<unknown>[] = [];
    library.on.call.connect = ({ accept, preaccept, reject, terminate }) => {
      for (const answer of [preaccept, accept, reject, terminate]) answers.push(answer());
    };
    const ended: unknown[] = [];
    library.on.call.terminate = ({ call }) => void ended.push(call.event);
    await cloud.ana.act((deps) => placeCall(deps, cloud.phone, false));
    await post(({ field, value }) => field === "calls" && value.calls[0].event === "connect");
    const [preaccepted, accepted, rejected, terminated] = await Promise.all(answers);
    for (const refused of [preaccepted, accepted, await library.initiateCall(phoneId, cloud.ana.pn, "v=0")])
      expect(refused).toMatchObject({ error: { code: 138_000 } });
    // Either side may end the call.
    expect([rejected, terminated]).toEqual(
      expect.arrayContaining([{ success: true }, { error: expect.objectContaining({ code: 138_007 }) }]),
    );
    await post(({ field, value }) => field === "calls" && value.calls[0].event === "terminate");
    expect(ended).toEqual(["terminate"]);
  });

  it("has its handshake answered", () => {
    const [asked] = cloud.app.handshakes;
    expect(library.get(Object.fromEntries(asked ?? []) as never)).toBe(asked?.get("hub.challenge"));
  });
});

it("every method of the library was called", () => {
  const methods = Object.getOwnPropertyNames(WhatsAppAPI.prototype).filter((name) => name !== "constructor");
  expect(methods.filter((name) => !used.has(name))).toEqual([]);
});
