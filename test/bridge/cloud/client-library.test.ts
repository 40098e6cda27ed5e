// A client library that others publish for Meta's Cloud API, unchanged, against the simulated Graph.
import { afterAll, beforeAll, expect, it } from "vitest";
import { WhatsAppAPI } from "whatsapp-api-js";
import {
  ActionButtons,
  ActionList,
  Body,
  BodyComponent,
  BodyParameter,
  Button,
  Contacts,
  Document,
  Image,
  Interactive,
  Language,
  ListSection,
  Location,
  Name,
  Phone,
  Reaction,
  Row,
  Template,
  Text,
} from "whatsapp-api-js/messages";
import type { SimulatedPhone } from "../../../test-network/phone/simulated-phone.ts";
import { JPEG } from "../../support/sample-files.ts";
import { freshNumber, must, openWorld, shown, type World } from "../phones/world.ts";
import { App, clients, type Credentials } from "./world.ts";

const app = new App();
const loja = freshNumber();
let world: World;
let number: Credentials;
let ana: SimulatedPhone;
let library: WhatsAppAPI;
const { connect, control } = clients(() => ({ graph: world.graphUrl, control: world.controlUrl }));

beforeAll(async () => {
  world = await openWorld();
  await app.listen();
  number = await connect(app, { phone: loja });
  ana = await world.newPhone("Ana");
  library = new WhatsAppAPI({
    token: number.access_token,
    appSecret: number.app_secret,
    v: "v23.0",
    ponyfill: { fetch: (url, init) => fetch(new Request(url).url.replace("https://graph.facebook.com", world.graphUrl), init) },
  });
});
afterAll(async () => {
  await world.close();
  app.close();
});

it("sends every kind of message, each to the contact's phone", async () => {
  must(await ana.sendText(loja, "oi"));
  const incoming = await app.message(({ text }) => text?.body === "oi");
  await control("POST", "/cloud/templates", { waba_id: number.waba_id, name: "ola", language: "pt_BR", body: "Olá, {{1}}" });
  const form = new FormData();
  form.set("file", new File([JPEG], "ponto.jpg", { type: "image/jpeg" }));
  const media = (await library.uploadMedia(number.phone_number_id, form)) as { id: string };
  const buttons = new ActionButtons(new Button("sim", "Sim"));
  const list = new ActionList("Ver", new ListSection("Dias", new Row("ter", "Terça")));
  const messages = [
    new Text("texto"),
    new Image(media.id, true, "legenda"),
    new Document(media.id, true, "documento", "ponto.jpg"),
    new Location(-46.65, -23.56, "MASP"),
    new Contacts([new Name("Bia", "Bia"), new Phone("+5511900000009")]),
    new Interactive(buttons, new Body("Confirma?")),
    new Interactive(list, new Body("Escolha")),
    new Template("ola", new Language("pt_BR"), new BodyComponent(new BodyParameter("Ana"))),
    new Reaction(incoming.id, "👍"),
  ];
  for (const message of messages) {
    const answer = await library.sendMessage(number.phone_number_id, ana.pn, message);
    expect([message._type, answer]).toEqual([
      message._type,
      expect.objectContaining({ messages: [expect.objectContaining({ id: expect.any(String) })] }),
    ]);
  }
  await shown(ana, ({ text }) => text === "Olá, Ana");
  expect(await library.markAsRead(number.phone_number_id, incoming.id, "text")).toEqual({ success: true });
  expect(await library.retrieveMedia(media.id)).toMatchObject({ id: media.id, mime_type: "image/jpeg" });
  expect(await library.blockUser(number.phone_number_id, ana.pn)).toMatchObject({ block_users: { added_users: [{ wa_id: ana.pn }] } });
  expect(await library.unblockUser(number.phone_number_id, ana.pn)).toMatchObject({ block_users: { removed_users: [{ wa_id: ana.pn }] } });
  expect(await library.deleteMedia(media.id)).toEqual({ success: true });
});
