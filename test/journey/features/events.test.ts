// Each Connection API event, caused by a person with a phone, as it reaches a customer's server: complete, signed, and without undocumented
// fields.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lidFor } from "#root/test-network/directory.ts";
import { CONNECTION_EVENT_TYPES } from "#root/src/api/events/connection/events.ts";
import { CONNECTION_EVENT_EXAMPLES } from "#root/src/api/events/connection/examples.ts";
import { connectionEvent } from "../../support/events/connection-events.ts";
import { hasShapeOf, isRecording, recordExamples } from "../../support/events/event-examples.ts";
import { eventually } from "../../support/eventually.ts";
import { readEvent } from "../../support/events/watched-events.ts";
import { WatchedShop } from "../../support/events/watched-shop.ts";

const [SHOP, BIA, CAIO, DUDA, EVA] = ["5511900000141", "5511900000142", "5511900000143", "5511900000144", "5511900000145"] as const;
const PEOPLE = { [BIA]: "Bia", [CAIO]: "Caio", [DUDA]: "Duda", [EVA]: "Eva" };
const BIAS_CHAT = `${BIA}@c.us`;
const REFUSED_ONCE = "Recuse uma vez";
const WITHIN_MS = 60_000;

let world: WatchedShop;
let group: string;
beforeAll(async () => {
  world = await WatchedShop.open(SHOP, "Loja", PEOPLE);
  let refusals = 1;
  world.receiver.reply = ({ body }, response) => {
    const refused = body.includes(REFUSED_ONCE) && refusals-- > 0;
    response.writeHead(refused ? 500 : 204).end();
  };
});
afterAll(() => world.close());

type Ask<K extends "api" | "owner" | "on" | "send" | "delivered" | "deliveredFor"> = WatchedShop[K];
const api: Ask<"api"> = (...call) => world.api(...call);
const owner: Ask<"owner"> = (...call) => world.owner(...call);
const on: Ask<"on"> = (...action) => world.on(...action);
const send: Ask<"send"> = (...message) => world.send(...message);
const delivered: Ask<"delivered"> = (...event) => world.delivered(...event);
const deliveredFor: Ask<"deliveredFor"> = (...event) => world.deliveredFor(...event);
const atBia = (id: string) =>
  eventually(`${id} at Bia's`, WITHIN_MS, async () => (await world.network.inbox(BIA)).some((each) => each["message_id"] === id));
const chats = (): [string, string, boolean][] => [
  ["one-to-one", BIAS_CHAT, false],
  ["group", group, true],
];

it("a webhook is subscribed to everything but presence, and then to that too", async () => {
  const created = await world.subscribe();
  const subscribable = CONNECTION_EVENT_TYPES.filter((type) => type !== "webhook.test");
  expect(created.events.toSorted()).toEqual(subscribable.filter((type) => type !== "presence").toSorted());
  expect((await world.subscribe(subscribable)).events.toSorted()).toEqual(subscribable.toSorted());
  expect(await owner("POST", "/webhook/test")).toMatchObject({ http_status: 204, latency_ms: expect.any(Number), error: null });
  const { instance } = await world.events.delivered("webhook.test", "the test action's");
  expect(instance).toEqual({ id: world.shop.id, name: "Loja", phone: SHOP });
});

it("group.participants: joins, leaves, promotions and demotions", async () => {
  group = (await on(BIA, "groups", { subject: "Vendas", participants: [SHOP] })).group_id;
  const members = (action: string, person: string) =>
    delivered("group.participants", `${action} of ${person}`, (data) => data.action === action && data.participants[0].phone === person);
  expect(await members("join", SHOP)).toMatchObject({ participants: [{ phone: SHOP, is_me: true }], by: BIA, reason: "added" });
  for (const phone of [CAIO, DUDA, EVA]) {
    await on(BIA, `groups/${group}/add`, { participants: [phone] });
    expect(await members("join", phone)).toMatchObject({ chat_id: group, participants: [{ is_me: false }], by: BIA, reason: "added" });
  }
  for (const action of ["promote", "demote"]) {
    await on(BIA, `groups/${group}/${action}`, { participants: [CAIO] });
    expect(await members(action, CAIO)).toMatchObject({ by: BIA, reason: null });
  }
  await on(DUDA, `groups/${group}/leave`);
  expect(await members("leave", DUDA)).toMatchObject({ by: DUDA, reason: "left" });
  await on(BIA, `groups/${group}/remove`, { participants: [EVA] });
  expect(await members("leave", EVA)).toMatchObject({ by: BIA, reason: "removed" });
});

it("group.updated: only what changed", async () => {
  const changed = (field: string) => delivered("group.updated", field, (data) => data.chat_id === group && field in data.changed);
  await on(BIA, `groups/${group}/subject`, { subject: "Vendas 2" });
  expect(await changed("subject")).toMatchObject({ by: BIA, changed: { subject: "Vendas 2" } });
  await on(BIA, `groups/${group}/description`, { description: "Só vendas" });
  expect((await changed("description")).changed).toEqual({ description: "Só vendas" });
  const settings = {
    messages_admins_only: [{ announce: true }, { announce: false }],
    info_admins_only: [{ locked: true }, { locked: false }],
    join_approval: [{ join_approval: true }, { join_approval: false }],
    members_can_add: [{ member_add_mode: "all_member_add" }],
    disappearing_seconds: [{ disappearing_seconds: 86_400 }, { disappearing_seconds: 0 }],
  };
  for (const [field, bodies] of Object.entries(settings)) {
    for (const body of bodies) await on(BIA, `groups/${group}/settings`, body);
    expect(Object.keys((await changed(field)).changed)).toEqual([field]);
  }
  await on(BIA, `groups/${group}/picture`, { base64: Buffer.from("a picture").toString("base64") });
  expect((await changed("picture_changed")).by).toBe(BIA);
});

describe("message.received", () => {
  const BYTES = "what the file holds";
  const media = (mimetype: string, filename?: string) => ({ media: { base64: btoa(BYTES), mimetype, filename } });
  const fileAt = async (shown: { url: string } | null) => (shown === null ? null : await (await fetch(shown.url)).text());
  const location = { latitude: -23.5, longitude: -46.6, name: "Loja" };
  const poll = { question: "Quando?", options: ["Hoje", "Amanhã"], selectable_count: 1 };
  const list = { title: "Sabores", text: "Escolha um sabor", button: "Ver", rows: [{ id: "x-1", title: "Um" }] };
  const selected = { id: "x-1", title: "Um" };

  it.each<{ type: string; body: object; text: string | null; mimetype?: string; choice?: object }>([
    { type: "text", body: { text: "Olá 👋" }, text: "Olá 👋" },
    { type: "image", body: { ...media("image/png"), caption: "Foto" }, text: "Foto", mimetype: "image/png" },
    { type: "video", body: { ...media("video/mp4"), caption: "Vídeo" }, text: "Vídeo", mimetype: "video/mp4" },
    { type: "audio", body: media("audio/mpeg"), text: null, mimetype: "audio/mpeg" },
    { type: "voice", body: media("audio/ogg; codecs=opus"), text: null, mimetype: "audio/ogg; codecs=opus" },
    { type: "document", body: media("application/pdf", "nota.pdf"), text: "nota.pdf", mimetype: "application/pdf" },
    { type: "sticker", body: media("image/webp"), text: null, mimetype: "image/webp" },
    { type: "location", body: { location }, text: "Loja" },
    { type: "contact", body: { contact: { full_name: "Caio Dias", phone: CAIO } }, text: "Caio Dias" },
    { type: "poll", body: { poll }, text: "Quando?" },
    { type: "list", body: { list }, text: "Escolha um sabor" },
    { type: "list_response", body: { selected }, text: "Um", choice: { row_id: "x-1", title: "Um" } },
    { type: "button_response", body: { selected }, text: "Um", choice: { button_id: "x-1", title: "Um" } },
  ])("is delivered with type $type, one-to-one and in a group", async ({ type, body, text, mimetype, choice }) => {
    for (const [, chat, is_group] of chats()) {
      const id = await send(BIA, { chat_id: is_group ? chat : SHOP, type, ...body });
      const data = await deliveredFor("message.received", id);
      expect(data).toMatchObject({ chat_id: chat, is_group, from: BIA, type, text, push_name: "Bia", quoted: null, mentions: [] });
      expect(data.selected).toEqual(choice);
      expect(data.media?.mimetype).toBe(mimetype);
      expect(await fileAt(data.media)).toBe(mimetype === undefined ? null : BYTES);
    }
  });

  it("has its quote and its mentioned people, known by phone", async () => {
    const first = await send(CAIO, { chat_id: group, text: "Quem vem?" });
    const id = await send(BIA, { chat_id: group, text: `Eu e @${SHOP}`, quoted_id: first, mentions: [SHOP, CAIO] });
    expect(await deliveredFor("message.received", id)).toMatchObject({
      from: BIA,
      text: `Eu e @${SHOP}`,
      quoted: { message_id: first, text: "Quem vem?" },
      mentions: [SHOP, CAIO],
    });
  });

  it("comes again with the same bytes, 5 s after a refusal", async () => {
    const id = await send(BIA, { to: SHOP, text: REFUSED_ONCE });
    await deliveredFor("message.received", id);
    const attempts = () => world.receiver.received.filter(({ body }) => body.includes(REFUSED_ONCE));
    await eventually("the second attempt", WITHIN_MS, () => attempts().length === 2);
    const [first, second] = attempts();
    expect(second!.body).toBe(first!.body);
    expect(second!.headers["webhook-id"]).toBe(first!.headers["webhook-id"]);
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(5_000);
    const { id: delivery } = JSON.parse(first!.body) as { id: string };
    const recent = await eventually("its history", WITHIN_MS, async () =>
      ((await owner("GET", "/webhook/deliveries")) as any[]).find((each) => each.id === delivery && each.status === "delivered"),
    );
    expect(recent).toMatchObject({ event: "message.received", http_status: 204, attempts: 2, last_error: null });
  });
});

describe("message.sent and message.status", () => {
  it("are delivered for a send through the API, delivered and read, one-to-one and in a group", async () => {
    for (const [, chat_id, is_group] of chats()) {
      const { message_id: id } = await api("POST", "/messages/text", { chat_id, text: "Enviado", reference: "pedido-1" });
      const whom = { chat_id, is_group, to: is_group ? null : BIA };
      expect(await deliveredFor("message.sent", id)).toMatchObject({
        ...whom,
        type: "text",
        text: "Enviado",
        source: "api",
        reference: "pedido-1",
      });
      expect(await deliveredFor("message.status", id, ({ status }) => status === "delivered")).toMatchObject(whom);
      await on(BIA, "read", { chat_id: is_group ? group : SHOP });
      const read = await deliveredFor("message.status", id, ({ status }) => status === "read");
      expect(read).toMatchObject({ ...whom, ...(is_group && { phone: BIA }) });
    }
  });

  it("are delivered for a message from the phone itself, and its playback", async () => {
    const voice = { type: "voice", media: { base64: "b2k=", mimetype: "audio/ogg; codecs=opus" } };
    for (const [, chat_id, is_group] of chats()) {
      const id = await send(SHOP, { chat_id, ...voice });
      expect(await deliveredFor("message.sent", id)).toMatchObject({ chat_id, is_group, type: "voice", source: "phone", reference: null });
      await atBia(id);
      await on(BIA, "played", { chat_id: is_group ? group : SHOP });
      expect(await deliveredFor("message.status", id, ({ status }) => status === "played")).toMatchObject({ chat_id, is_group });
    }
  });

  it("are delivered with the reason for a message that the network refuses", async () => {
    await world.network.call("POST", "/faults", { phone: SHOP, kind: "refuse_send", code: 463, ms: 60_000 });
    expect((await world.shop.api.text(BIA, "Não vai")).status).toBe(423);
    const failed = await delivered("message.status", "failed", ({ status }) => status === "failed");
    expect(failed).toMatchObject({ to: BIA, is_group: false, error: { codigo: "bloqueio_temporario" } });
    const restricted = await delivered("instance.status", "restricted", ({ restriction }) => restriction !== null);
    expect(restricted).toMatchObject({ status: "connected", previous_status: "connected", reason: "restricted" });
    await world.network.call("DELETE", "/faults");
    await delivered("instance.status", "not any more", (data) => data.reason === "ok" && data.timestamp >= restricted.timestamp);
  });
});

it("message.reaction, message.edited and message.deleted: theirs, ours, and those made on our own phone", async () => {
  for (const [, chat, is_group] of chats()) {
    const there = { chat_id: is_group ? group : SHOP };
    const theirs = await send(BIA, { ...there, text: "Delas" });
    await deliveredFor("message.received", theirs);
    const { message_id: ours } = await api("POST", "/messages/text", { chat_id: chat, text: "Nossa" });
    const phones = await send(SHOP, { chat_id: chat, text: "Do celular" });
    await deliveredFor("message.sent", phones);
    const place = { chat_id: chat, is_group };

    for (const reaction of ["👍", ""]) {
      await on(BIA, "react", { ...there, message_id: ours, reaction });
      expect(await deliveredFor("message.reaction", ours, (data) => data.reaction === reaction)).toMatchObject({
        ...place,
        from: BIA,
        from_me: false,
      });
    }
    await api("PUT", `/chats/${chat}/messages/${theirs}/reaction`, { reaction: "🎉" });
    expect(await deliveredFor("message.reaction", theirs)).toMatchObject({ ...place, from: SHOP, from_me: true, reaction: "🎉" });

    await on(BIA, "edit", { ...there, message_id: theirs, text: "Delas, melhor" });
    expect(await deliveredFor("message.edited", theirs)).toMatchObject({ ...place, from: BIA, from_me: false, text: "Delas, melhor" });
    await api("PUT", `/chats/${chat}/messages/${ours}`, { text: "Nossa, melhor" });
    expect(await deliveredFor("message.edited", ours)).toMatchObject({ ...place, from: SHOP, from_me: true, text: "Nossa, melhor" });
    await on(SHOP, "edit", { chat_id: chat, message_id: phones, text: "Do celular, melhor" });
    expect(await deliveredFor("message.edited", phones)).toMatchObject({ ...place, from: SHOP, from_me: true });

    await on(BIA, "delete", { ...there, message_id: theirs });
    expect(await deliveredFor("message.deleted", theirs)).toMatchObject({ ...place, from: BIA, by: BIA, from_me: false });
    await api("DELETE", `/chats/${chat}/messages/${ours}`);
    expect(await deliveredFor("message.deleted", ours)).toMatchObject({ ...place, from: SHOP, by: SHOP, from_me: true });
    await on(SHOP, "delete", { chat_id: chat, message_id: phones });
    expect(await deliveredFor("message.deleted", phones)).toMatchObject({ ...place, from: SHOP, by: SHOP, from_me: true });
  }
});

it("message.deleted: others' messages, by an admin", async () => {
  const caios = await send(CAIO, { chat_id: group, text: "Fora do assunto" });
  await deliveredFor("message.received", caios);
  await on(BIA, "delete", { chat_id: group, message_id: caios });
  expect(await deliveredFor("message.deleted", caios)).toMatchObject({ from: CAIO, by: BIA, from_me: false });
});

it("poll.vote: the current choice, nothing once withdrawn", async () => {
  for (const [, chat_id, is_group] of chats()) {
    const poll = { question: "Quando?", options: ["Hoje", "Amanhã"] };
    const { message_id } = await api("POST", "/messages/poll", { chat_id, ...poll });
    await deliveredFor("message.sent", message_id);
    const there = { chat_id: is_group ? group : SHOP, message_id };
    await atBia(message_id);
    for (const options of [["Hoje"], ["Amanhã"], []]) {
      await on(BIA, "vote", { ...there, options });
      const vote = await deliveredFor("poll.vote", message_id, (data) => data.options.join() === options.join());
      expect(vote).toMatchObject({ chat_id, is_group, from: BIA });
    }
  }
});

it("call: received, accepted or rejected elsewhere", async () => {
  for (const [end, status] of [
    ["accept", "accepted"],
    ["reject", "rejected"],
  ] as const) {
    const { call_id } = await on(BIA, "call", { to: SHOP, video: status === "accepted" });
    const said = (now: string) => delivered("call", `${call_id} ${now}`, (data) => data.call_id === call_id && data.status === now);
    const whose = { chat_id: BIAS_CHAT, from: BIA, is_group: false };
    expect(await said("received")).toMatchObject({ ...whose, is_video: status === "accepted" });
    await on(SHOP, `calls/${call_id}/${end}`);
    expect(await said(status)).toMatchObject(whose);
  }
});

it("presence: chats that were subscribed to", async () => {
  for (const [, chat_id, is_group] of chats()) {
    await api("POST", `/chats/${chat_id}/presence/subscribe`);
    const seen = (presence: string) => delivered("presence", presence, (data) => data.chat_id === chat_id && data.presence === presence);
    for (const presence of ["typing", "recording", "paused"]) {
      await on(BIA, "presence", { presence, chat_id: is_group ? group : SHOP });
      expect(await seen(presence)).toMatchObject({ phone: BIA, is_group });
    }
    if (is_group) continue;
    await on(BIA, "presence", { presence: "online" });
    expect(await seen("online")).toMatchObject({ phone: BIA, is_group, last_seen: null });
    await on(BIA, "presence", { presence: "offline" });
    await delivered("presence", "since when", (data) => data.phone === BIA && data.presence === "offline" && data.last_seen !== null);
  }
});

it("label.updated, label.chat.added, label.chat.removed and label.deleted", async () => {
  const label = { label_id: "40", name: "Do celular", color: 5 };
  const reported = (type: string) => delivered(type, "40", (data) => data.label_id === "40");
  await on(SHOP, "labels", label);
  expect(await reported("label.updated")).toMatchObject({ ...label, color_hex: "#55ccb3" });
  for (const [, chat_id, is_group] of chats()) {
    for (const [labelled, type] of [
      [true, "label.chat.added"],
      [false, "label.chat.removed"],
    ] as const) {
      await on(SHOP, "labels/40/chats", { chat_id, labelled });
      const data = await delivered(type, chat_id, (each) => each.chat_id === chat_id);
      expect(data).toMatchObject({ label_id: "40", name: "Do celular", phone: is_group ? null : BIA });
    }
  }
  await on(SHOP, "labels", { ...label, deleted: true });
  expect(await reported("label.deleted")).toMatchObject({ name: "Do celular" });
});

it("instance.status: dropped, connected, in need of a scan, failed", async () => {
  const status = (now: string, reason: string) =>
    delivered("instance.status", `${now}/${reason}`, (data) => data.status === now && data.reason === reason);
  await owner("POST", "/disconnect");
  expect(await status("disconnected", "manual")).toMatchObject({ previous_status: "connected", restriction: null });
  await owner("POST", "/connect");
  await delivered("instance.status", "connected again", (data) => data.status === "connected" && data.previous_status === "disconnected");
  await owner("POST", "/logout");
  expect(await status("disconnected", "logged_out")).toMatchObject({ previous_status: "connected" });
  await owner("POST", "/connect");
  const scan = await world.events.delivered("instance.status", "scan_qr", (data) => data.status === "scan_qr");
  expect(scan).toMatchObject({ instance: { phone: null }, data: { previous_status: "disconnected", reason: "waiting_scan", phone: null } });
  await on(SHOP, "scan", { qr: (await owner("GET", "/qr")).raw });
  await delivered(
    "instance.status",
    "connected after the scan",
    (data) => data.status === "connected" && data.previous_status === "scan_qr",
  );
  await world.network.call("POST", "/faults", { phone: SHOP, kind: "close", code: 403 });
  expect(await status("failed", "locked")).toMatchObject({ previous_status: "connected" });
});

it("a delivery is signed with both the old and the new secret after a rotation", async () => {
  const [before] = world.receiver.received;
  const { secret } = await owner("POST", "/webhook/rotate");
  await owner("POST", "/webhook/test");
  const signed = world.receiver.received.findLast(({ body }) => body.includes('"webhook.test"'))!;
  expect(String(signed.headers["webhook-signature"]).split(" ")).toHaveLength(2);
  expect(readEvent(signed, secret).type).toBe("webhook.test");
  // The second signature, made with the old secret, is checked below with all others.
  expect(() => readEvent(before!, secret)).toThrow("no signature");
});

it("all deliveries were expected, strict and signed, each id with one body, nobody by an internal number", () => {
  const all = world.events.all();
  expect([...new Set(all.map(({ type }) => type))].toSorted()).toEqual(CONNECTION_EVENT_TYPES.toSorted());
  const bodies = new Set(world.receiver.received.map(({ body }) => body));
  expect(new Set(all.map(({ id }) => id)).size).toBe(bodies.size);
  const internal = [SHOP, ...Object.keys(PEOPLE)].map(lidFor);
  expect([...bodies].filter((body) => internal.some((lid) => body.includes(lid)))).toEqual([]);
});

it("the documented examples show delivered events", () => {
  const bodies = world.receiver.received.map(({ body }) => JSON.parse(body) as Record<string, any> & { type: string });
  const each = bodies.map((body) => [body.type, body] as const);
  const prefer = (type: string, { data }: any) =>
    ({
      "message.received": data.type === "image" && !data.is_group,
      "message.sent": data.source === "api" && !data.is_group,
      "message.status": data.status === "delivered" && !data.is_group,
      "instance.status": data.status === "connected",
      "label.chat.added": data.phone !== null,
      "label.chat.removed": data.phone !== null,
    })[type] ?? false;
  const head = "// Recorded bodies: running test/journey/features/events.test.ts with RECORD_EXAMPLES=1 rewrites this file.";
  const examples: Readonly<Record<string, unknown>> = isRecording
    ? recordExamples({
        file: "src/api/events/connection/examples.ts",
        constant: "CONNECTION_EVENT_EXAMPLES",
        head,
        types: CONNECTION_EVENT_TYPES,
        current: CONNECTION_EVENT_EXAMPLES,
        bodies: each,
        prefer,
      })
    : CONNECTION_EVENT_EXAMPLES;
  for (const type of CONNECTION_EVENT_TYPES) {
    const example = examples[type];
    expect(connectionEvent(type).safeParse(example).error, type).toBeUndefined();
    expect(bodies.filter((body) => body.type === type).some(hasShapeOf(example)), `no ${type} has the fields of its example`).toBe(true);
  }
});
