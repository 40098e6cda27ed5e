// A Cloud API number's requests, responses and webhooks are checked against Meta's own description (test/contract/README.md).
import { afterAll, beforeAll, expect, it } from "vitest";
import { judgeTraffic } from "../../contract/traffic.ts";
import { phones } from "../../support/clients.ts";
import { type CloudNumber, connectCloudNumber } from "../../support/cloud/numbers.ts";
import { eventually } from "../../support/eventually.ts";
import { ok } from "../../support/replies.ts";
import { JPEG, MP4 } from "../../support/sample-files.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const [STORE, BIA] = ["5511900000691", "5511900000692"] as const;
const WITHIN_MS = 60_000;
const OPUS = Buffer.concat([Buffer.from("OggS"), Buffer.alloc(24), Buffer.from("OpusHead"), Buffer.alloc(64)]);
const WEBP = Buffer.concat([Buffer.from("RIFF"), Buffer.alloc(4), Buffer.from("WEBPVP8 "), Buffer.alloc(64)]);
const file = (bytes: Buffer, mimetype: string, filename = "ponto") => ({ base64: bytes.toString("base64"), mimetype, filename });

/** Customer sends, keyed by the last path segment. */
const SENDS: Readonly<Record<string, Record<string, unknown>>> = {
  text: { text: "Olá, Bia!" },
  location: { latitude: -23.5614, longitude: -46.6559, name: "MASP", address: "Av. Paulista, 1578" },
  contact: { contacts: [{ full_name: "Ana Souza", phone: "5511900000693", organization: "Sol", email: "ana@example.com" }] },
  list: { body: "Escolha", button: "Ver", header: "Agenda", sections: [{ title: "Dias", rows: [{ row_id: "ter", title: "Terça" }] }] },
  buttons: { body: "Confirma?", footer: "Sol", buttons: [{ button_id: "sim", title: "Sim" }] },
  template: { name: "boas_vindas", language: "pt_BR", components: [{ type: "body", parameters: [{ type: "text", text: "Bia" }] }] },
  image: { media: file(JPEG, "image/jpeg"), caption: "Um ponto" },
  video: { media: file(MP4, "video/mp4") },
  audio: { media: file(OPUS, "audio/ogg; codecs=opus") },
  voice: { media: file(OPUS, "audio/ogg; codecs=opus"), convert: false },
  document: { media: file(Buffer.from("Olá!"), "text/plain", "ola.txt"), caption: "Leia" },
  sticker: { media: file(WEBP, "image/webp") },
};

let shared: SharedSandbox;
let store: CloudNumber;
let network: ReturnType<typeof phones>;

beforeAll(async () => {
  shared = await borrowSandbox();
  network = phones(shared.ready());
  await network.create(BIA, "Bia");
  store = await connectCloudNumber(shared.ready(), { phone: STORE, name: "Loja" });
  await network.call("POST", "/cloud/templates", {
    waba_id: store.credentials.waba_id,
    name: "boas_vindas",
    language: "pt_BR",
    body: "Olá, {{1}}",
  });
});
afterAll(() => shared.dispose());

const at = (id: string) => eventually(`${id} in the chat`, WITHIN_MS, async () => (await store.api.get(`/messages/${id}`)).status === 200);
const received = (text: string) =>
  eventually(`${text} in the chat`, WITHIN_MS, async () => {
    const { body } = await store.api.get(`/chats/${BIA}@c.us/messages?limit=50`);
    return (body.data as { message_id: string; text: string | null }[]).find((message) => message.text === text)?.message_id;
  });

const traffic = () => judgeTraffic(shared.ready().network_url ?? "", store.credentials.phone_number_id);

it("the gateway sends and receives only what Meta's description contains", async () => {
  await network.send(BIA, { to: STORE, text: "olá/até" });
  const first = await received("olá/até");
  const sent: string[] = [];
  for (const [kind, body] of Object.entries(SENDS)) {
    const answer = await store.api.call("POST", `/messages/${kind}`, { to: BIA, ...body });
    expect([kind, answer.status, answer.body.error]).toEqual([kind, 200, undefined]);
    sent.push(answer.body.message_id);
  }
  await ok(store.api.call("POST", "/messages/text", { to: BIA, text: "Sobre isso", quoted_message_id: first }));
  await ok(store.api.call("PUT", `/chats/${BIA}@c.us/messages/${encodeURIComponent(first)}/reaction`, { reaction: "👍" }));

  // Actions by contacts.
  const chat = `${STORE}@c.us`;
  const inbox = await eventually("all of it at Bia's", WITHIN_MS, async () => {
    const messages = await network.inbox(BIA);
    return messages.filter(({ from }) => from === STORE).length > sent.length ? messages : null;
  });
  const last = inbox.findLast(({ from }) => from === STORE)?.["message_id"] as string;
  await network.call("POST", `/phones/${BIA}/read`, { chat_id: chat });
  await network.call("POST", `/phones/${BIA}/react`, { chat_id: chat, message_id: last, reaction: "❤️" });
  for (const media of [file(JPEG, "image/jpeg"), file(MP4, "video/mp4")]) {
    await network.send(BIA, { to: STORE, type: media.mimetype.split("/")[0], media, caption: "Veja" });
  }
  await network.send(BIA, { to: STORE, type: "voice", media: file(OPUS, "audio/ogg; codecs=opus") });
  await network.send(BIA, { to: STORE, type: "document", media: file(Buffer.from("a"), "text/plain", "a.txt") });
  await network.send(BIA, { to: STORE, type: "location", location: { latitude: 1, longitude: 2, name: "Aqui" } });
  await network.send(BIA, { to: STORE, type: "contact", contact: { full_name: "Ana", phone: "5511900000693" } });
  await network.send(BIA, { to: STORE, type: "poll", poll: { question: "Dia?", options: ["Ter", "Qui"] } });
  const call = await network.call("POST", `/phones/${BIA}/call`, { to: STORE });
  await network.call("POST", `/phones/${BIA}/calls/${call.body.data?.call_id ?? call.body.call_id}/end`);
  await network.send(BIA, { to: STORE, text: "Fim" });
  await received("Fim");
  await at(sent[0] ?? "");

  const judged = await traffic();
  expect(judged.problems).toEqual([]);
  expect(judged.kinds).toEqual([
    "audio",
    "contacts",
    "document",
    "image",
    "interactive button",
    "interactive list",
    "location",
    "reaction",
    "sticker",
    "template",
    "text",
    "video",
  ]);
  expect(judged.types).toEqual(
    expect.arrayContaining(["audio", "contacts", "document", "image", "location", "reaction", "text", "unsupported", "video"]),
  );
  expect(judged.statuses).toEqual(expect.arrayContaining(["delivered", "read", "sent"]));
});

it("the gateway makes only requests that Meta's description contains", async () => {
  const before = (await traffic()).calls;
  const chat = `/chats/${BIA}@c.us`;
  await ok(store.api.call("POST", `${chat}/seen`));
  await ok(store.api.call("POST", `${chat}/typing`, { state: "typing" }));
  await ok(store.api.call("POST", `/contacts/${BIA}@c.us/block`));
  expect(JSON.stringify(await ok(store.api.get("/contacts/blocked")))).toContain(BIA);
  await ok(store.api.call("POST", `/contacts/${BIA}@c.us/unblock`));
  await ok(store.api.get("/profile"));
  await ok(store.api.call("PUT", "/profile/about", { about: "Das 9h às 18h" }));
  await ok(store.api.call("PUT", "/profile/picture", { media: file(JPEG, "image/jpeg") }));
  await ok(store.api.get("/instance/health"));

  await ok(store.api.call("POST", "/groups", { subject: "Festa", participants: [], description: "à noite" }), 202);
  const group = await eventually("the group", WITHIN_MS, async () => {
    const { body } = await store.api.get("/groups");
    return (body.data as { group_id: string; subject: string }[]).find(({ subject }) => subject === "Festa")?.group_id;
  });
  const { data: invitation } = await ok(store.api.get(`/groups/${group}/invite-code`));
  await network.call("POST", `/phones/${BIA}/groups/join`, { invite_code: invitation.code });
  await eventually("Bia in the group", WITHIN_MS, async () =>
    JSON.stringify((await store.api.get(`/groups/${group}/participants`)).body).includes(BIA),
  );
  await ok(store.api.call("POST", "/messages/text", { chat_id: group, text: "Bem-vinda" }));
  await ok(store.api.call("PUT", `/groups/${group}/subject`, { subject: "Festa!" }));
  await ok(store.api.call("PUT", `/groups/${group}/description`, { description: "às 20h" }));
  await ok(store.api.call("POST", `/groups/${group}/invite-code/revoke`));
  await ok(store.api.get(`/groups/${group}/requests`));
  await ok(store.api.call("POST", `/groups/${group}/participants/remove`, { participants: [BIA] }));
  await ok(store.api.call("DELETE", `/groups/${group}`));

  const judged = await traffic();
  expect(judged.problems).toEqual([]);
  expect(judged.calls - before).toBeGreaterThanOrEqual(15);
});
