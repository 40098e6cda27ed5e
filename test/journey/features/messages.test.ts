// Every send and message operation, end to end: the customer's response, and the result seen by people on the network.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type customer, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { type PairedConnection, pairConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok, refused } from "../../support/replies.ts";
import { PNG } from "../../support/sample-files.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";
import { DAY_SECONDS } from "@gateway/protocol/units.ts";

const SHOP = "5511933330000";
const [BIA, CAIO] = ["5511933330001", "5511933330002"] as const;
/** Registered on the network without its ninth digit. */
const OLD_NUMBER = "553133330003";
const NOBODY = "5511900009999";

let sandbox: SharedSandbox;
let receiver: Receiver;
let api: ReturnType<typeof customer>;
let network: ReturnType<typeof phones>;
let us: string;
/** One group created by Bia, one by us. */
let theirGroup: string, ourGroup: string;

beforeAll(async () => {
  [sandbox, receiver] = await Promise.all([borrowSandbox(), Receiver.start()]);
  network = phones(sandbox.ready());
  const shop = await pairConnection(sandbox.ready(), SHOP, { name: "Loja" });
  [api, us] = [shop.api, SHOP];
  for (const [phone, name] of [
    [BIA, "Bia"],
    [CAIO, "Caio"],
    [OLD_NUMBER, "Velho"],
  ] as const)
    await network.create(phone, name);
  await shop.owner.call("PUT", `/connections/${shop.id}/webhook`, { url: receiver.url });
  theirGroup = (await network.call("POST", `/phones/${BIA}/groups`, { subject: "Da Bia", participants: [us, CAIO] })).body.group_id;
  ourGroup = (await ok(post("/groups", { subject: "Nosso", participants: [BIA, CAIO] }))).data.group_id;
});
afterAll(async () => {
  await Promise.all([sandbox.dispose(), receiver.stop()]);
});

const post = (path: string, json?: unknown) => api.call("POST", path, json);
const put = (path: string, json: unknown) => api.call("PUT", path, json);
const send = (kind: string, json: object) => post(`/messages/${kind}`, { to: BIA, ...json });
const messagePath = (chat: string, id: string) => `/chats/${chat}/messages/${id}`;
const chatOf = (phone: string) => `${phone}@c.us`;

/** The message as a person's phone shows it. */
const at = (phone: string, id: string, is: (record: any) => boolean = () => true): Promise<any> =>
  eventually(`${id} at ${phone}`, 60_000, async () =>
    (await network.inbox(phone)).find((record) => record.message_id === id && is(record)),
  );
const gone = (phone: string, id: string) =>
  eventually(`${id} gone at ${phone}`, 60_000, async () => !(await network.inbox(phone)).some((record) => record.message_id === id));
const delivered = (type: string, id: string) =>
  receiver.waitFor(`${type} of ${id}`, 60_000, (event) => event.type === type && event.data.message_id === id);
const deliveriesOf = (type: string, id: string) =>
  receiver.events<any>().filter((event) => event.type === type && event.data.message_id === id);

/** Sends a message and returns it as received. */
async function arrived(kind: string, json: object): Promise<{ answer: any; record: any }> {
  const answer = await ok(send(kind, json));
  return { answer, record: await at(BIA, answer.message_id) };
}
/** A message from Bia as the customer reads it. */
async function fromBia(body: object, chat = chatOf(BIA)): Promise<any> {
  const { message_id } = (await network.send(BIA, chat === chatOf(BIA) ? { to: us, ...body } : { chat_id: chat, ...body })).body;
  return eventually(`${message_id} at the customer`, 60_000, async () => {
    const read = await api.get(messagePath(chat, message_id));
    return read.status === 200 && read.body.data;
  });
}

describe("a text", () => {
  it("arrives with its quote, its reference and the preview that was given", async () => {
    const question = await fromBia({ text: "Que horas?" });
    const preview = {
      url: "https://example.com/agenda",
      title: "Agenda",
      description: "Horários",
      image: { base64: PNG.toString("base64") },
    };
    const { answer, record } = await arrived("text", {
      text: "Às 9h: https://example.com/agenda",
      quoted_message_id: question.message_id,
      reference: "pedido-1",
      typing_ms: 50,
      message_id: "3EB0ABCDEF0123456789",
      preview,
    });
    expect(answer).toEqual({
      message_id: "3EB0ABCDEF0123456789",
      chat_id: chatOf(BIA),
      to: BIA,
      to_resolved: null,
      is_group: false,
      type: "text",
      status: "sent",
      reference: "pedido-1",
      timestamp: expect.any(Number),
    });
    expect(record).toMatchObject({
      type: "text",
      text: "Às 9h: https://example.com/agenda",
      quoted_id: question.message_id,
      link_preview: { title: "Agenda", url: "https://example.com/agenda" },
    });
    const kept = await ok(api.get(messagePath(chatOf(BIA), answer.message_id)));
    expect(kept.data).toMatchObject({ reference: "pedido-1", quoted: { message_id: question.message_id, from: BIA, text: "Que horas?" } });
    await delivered("message.sent", answer.message_id);
    const plain = await arrived("text", { text: "veja https://example.com", preview, link_preview: false });
    expect(plain.record.link_preview).toBeNull();
  });

  it("mentions people in groups, and all of them", async () => {
    const some = await ok(send("text", { to: undefined, chat_id: ourGroup, text: `Oi @${CAIO}`, mentions: [CAIO] }));
    expect(await at(CAIO, some.message_id)).toMatchObject({ mentions: [CAIO], chat_id: ourGroup });
    // The group uses LIDs; the customer does not.
    expect((await ok(api.get(messagePath(ourGroup, some.message_id)))).data).toMatchObject({ text: `Oi @${CAIO}`, mentions: [CAIO] });
    expect(some).toMatchObject({ is_group: true, to: null, chat_id: ourGroup });
    const all = await ok(send("text", { to: undefined, chat_id: ourGroup, text: "Oi @todos", mention_all: true }));
    expect(await at(CAIO, all.message_id)).toMatchObject({ mention_all: true });
  });

  it("has 65,536 characters at most", async () => {
    const { record } = await arrived("text", { text: "😀".repeat(65_536) });
    expect([...record.text].length).toBe(65_536);
    const { body: refusal } = await refused(send("text", { text: "a".repeat(65_537) }), 400, "requisicao_invalida");
    expect(refusal.error.detalhes).toEqual([{ campo: "text", motivo: expect.stringContaining("65536") }]);
  });

  it("goes to the network's format of a number", async () => {
    const asked = OLD_NUMBER.replace(/^5531/, "55319");
    const answer = await ok(send("text", { to: asked, text: "com o nono dígito" }));
    expect(answer).toMatchObject({ to: asked, to_resolved: OLD_NUMBER, chat_id: chatOf(OLD_NUMBER) });
    expect(await at(OLD_NUMBER, answer.message_id)).toMatchObject({ text: "com o nono dígito" });
    const quote = await ok(send("text", { to: asked, text: "de novo", quoted_message_id: answer.message_id }));
    expect(await at(OLD_NUMBER, quote.message_id)).toMatchObject({ quoted_id: answer.message_id });
  });

  it("is refused for impossible recipients", async () => {
    await refused(send("text", { text: "a", to: NOBODY }), 422, "numero_sem_conta");
    await refused(send("text", { text: "a", to: "123" }), 400, "numero_invalido");
    await refused(send("text", { text: "a", quoted_message_id: "NUNCA" }), 404, "mensagem_nao_encontrada");
    await refused(send("text", { text: "a", chat_id: ourGroup }), 400, "requisicao_invalida");
  });
});

describe("a place, people, a poll, an event, an invitation", () => {
  it("arrive unchanged", async () => {
    const place = { latitude: -23.5614, longitude: -46.6559, name: "MASP", address: "Av. Paulista, 1578" };
    expect((await arrived("location", place)).record).toMatchObject({ type: "location", location: place });

    const vcard = "BEGIN:VCARD\nVERSION:3.0\nFN:Duda\nTEL:+55 11 90000-0009\nEND:VCARD";
    const contacts = [{ full_name: "Caio, o Grande", phone: CAIO, organization: "ACME" }, { vcard }];
    const { record } = await arrived("contact", { contacts });
    expect(record.contacts).toMatchObject([
      { full_name: "Caio, o Grande", phone: CAIO },
      { full_name: "Duda", phone: "5511900000009" },
    ]);
    expect(record.contacts[0].vcard).toContain(`waid=${CAIO}`);
    expect(record.contacts[0].vcard).toContain("ORG:ACME");

    const event = {
      name: "Reunião",
      description: "Mensal",
      starts_at: "2030-01-15T14:00:00Z",
      ends_at: "2030-01-15T15:00:00Z",
      location: place,
    };
    expect((await arrived("event", event)).record).toMatchObject({
      type: "event",
      event: {
        name: "Reunião",
        description: "Mensal",
        starts_at: 1_894_716_000,
        ends_at: 1_894_719_600,
        cancelled: false,
        location: "MASP",
      },
    });

    const invitation = await arrived("group-invite", { group_id: ourGroup, text: "Venha" });
    expect(invitation.record).toMatchObject({ type: "group_invite", group_invite: { group_id: ourGroup, subject: "Nosso" } });
    await refused(send("group-invite", { group_id: theirGroup }), 403, "sem_permissao");
    await refused(send("group-invite", { group_id: "120363000000000099@g.us" }), 404, "grupo_nao_encontrado");
  });

  it("have the votes of a poll counted", async () => {
    const { answer, record } = await arrived("poll", { question: "Qual dia?", options: ["Terça", "Quinta"] });
    expect(record.poll).toEqual({ question: "Qual dia?", options: ["Terça", "Quinta"], selectable_count: 1 });
    await network.call("POST", `/phones/${BIA}/vote`, { chat_id: chatOf(us), message_id: answer.message_id, options: ["Quinta"] });
    await delivered("poll.vote", answer.message_id);
    expect((await ok(api.get(`${messagePath(chatOf(BIA), answer.message_id)}/votes`))).data).toEqual([
      { option: "Terça", votes: 0, voters: [] },
      { option: "Quinta", votes: 1, voters: [BIA] },
    ]);
    const text = await arrived("text", { text: "sem votos" });
    await refused(api.get(`${messagePath(chatOf(BIA), text.answer.message_id)}/votes`), 404, "mensagem_nao_encontrada");
  });
});

describe("a forward", () => {
  it("arrives as the original, marked as forwarded", async () => {
    const source = await fromBia({ text: "Repasse isto" });
    const answer = await ok(send("forward", { to: CAIO, from_chat_id: chatOf(BIA), message_id: source.message_id }));
    expect(await at(CAIO, answer.message_id)).toMatchObject({ type: "text", text: "Repasse isto", forwarded: true });
    expect(answer.type).toBe("text");
    await refused(send("forward", { from_chat_id: chatOf(BIA), message_id: "NUNCA" }), 404, "mensagem_nao_encontrada");
  });
});

describe("lists, buttons and templates", () => {
  it("are refused on sessions if their body is valid", async () => {
    const list = { body: "b", button: "x", sections: [{ title: "s", rows: [{ row_id: "1", title: "a" }] }] };
    const buttons = { body: "b", header: { base64: PNG.toString("base64") }, buttons: [{ button_id: "1", title: "a" }] };
    for (const [kind, body] of [
      ["list", list],
      ["buttons", buttons],
      ["template", { name: "a", language: "pt_BR" }],
    ] as const) {
      const { body: refusal } = await refused(send(kind, body), 501, "nao_suportado");
      expect(refusal.error.detalhes).toEqual({ kind: "session" });
      await refused(send(kind, {}), 400, "requisicao_invalida");
    }
  });
});

describe("a sent message", () => {
  it("is edited within the time limit, with one event", async () => {
    const { answer } = await arrived("text", { text: "Ola" });
    const path = messagePath(chatOf(BIA), answer.message_id);
    expect(await ok(put(path, { text: "Olá" }))).toEqual({ ok: true });
    await at(BIA, answer.message_id, (record) => record.edited && record.text === "Olá");
    const read = await ok(api.get(path));
    expect(read.data).toMatchObject({ text: "Olá", edited_at: expect.any(String) });
    await delivered("message.edited", answer.message_id);
    const theirs = await fromBia({ text: "minha" });
    await refused(put(messagePath(chatOf(BIA), theirs.message_id), { text: "sua" }), 403, "sem_permissao");
    await refused(put(messagePath(chatOf(BIA), "NUNCA"), { text: "x" }), 404, "mensagem_nao_encontrada");
  });

  it("has its caption edited, up to 1,024 characters", async () => {
    const { answer } = await arrived("image", { media: { base64: PNG.toString("base64") }, caption: "antes" });
    await ok(put(messagePath(chatOf(BIA), answer.message_id), { text: "depois" }));
    await at(BIA, answer.message_id, (record) => record.edited && record.text === "depois");
    await refused(put(messagePath(chatOf(BIA), answer.message_id), { text: "a".repeat(1_025) }), 400, "requisicao_invalida");
  });

  it("is deleted for everyone, or only for us", async () => {
    const [all, mine] = [await arrived("text", { text: "para todos" }), await arrived("text", { text: "só aqui" })];
    await ok(api.call("DELETE", messagePath(chatOf(BIA), all.answer.message_id)));
    await at(BIA, all.answer.message_id, (record) => record.deleted);
    expect((await ok(api.get(messagePath(chatOf(BIA), all.answer.message_id)))).data).toMatchObject({
      text: null,
      deleted_at: expect.any(String),
    });
    await delivered("message.deleted", all.answer.message_id);
    await ok(api.call("DELETE", `${messagePath(chatOf(BIA), mine.answer.message_id)}?for_everyone=false`));
    await gone(us, mine.answer.message_id);
    expect(await at(BIA, mine.answer.message_id)).toMatchObject({ deleted: false });
    await refused(api.get(messagePath(chatOf(BIA), mine.answer.message_id)), 404, "mensagem_nao_encontrada");
  });

  it("can be deleted by an admin if it is another person's", async () => {
    const theirs = await fromBia({ text: "no grupo dela" }, theirGroup);
    await refused(api.call("DELETE", messagePath(theirGroup, theirs.message_id)), 403, "sem_permissao");
    const ours = await fromBia({ text: "no nosso" }, ourGroup);
    await ok(api.call("DELETE", messagePath(ourGroup, ours.message_id)));
    await at(BIA, ours.message_id, (record) => record.deleted);
    const direct = await fromBia({ text: "direto" });
    await refused(api.call("DELETE", messagePath(chatOf(BIA), direct.message_id)), 403, "sem_permissao");
  });
});

describe("any message", () => {
  it("gets a reaction, which can be removed, with an event each time", async () => {
    for (const chat of [chatOf(BIA), theirGroup]) {
      const message = await fromBia({ text: "gostou?" }, chat);
      const path = `${messagePath(chat, message.message_id)}/reaction`;
      await ok(put(path, { reaction: "❤️" }));
      await at(BIA, message.message_id, (record) => record.reactions.some((each: any) => each.from === us && each.reaction === "❤️"));
      await delivered("message.reaction", message.message_id);
      expect((await ok(api.get(messagePath(chat, message.message_id)))).data.reactions).toMatchObject([{ from_me: true, reaction: "❤️" }]);
      await ok(put(path, { reaction: "" }));
      await at(BIA, message.message_id, (record) => record.reactions.length === 0);
      await eventually("both told", 60_000, () => deliveriesOf("message.reaction", message.message_id).length === 2);
    }
    await refused(put(`${messagePath(chatOf(BIA), "NUNCA")}/reaction`, { reaction: "👍" }), 404, "mensagem_nao_encontrada");
  });

  it("is starred and pinned, and the reverse", async () => {
    for (const chat of [chatOf(BIA), theirGroup]) {
      const { message_id: id } = await fromBia({ text: "importante" }, chat);
      const path = messagePath(chat, id);
      await ok(put(`${path}/star`, { star: true }));
      await at(us, id, (record) => record.starred);
      expect((await ok(api.get(path))).data.starred).toBe(true);
      await ok(put(`${path}/star`, { star: false }));
      await at(us, id, (record) => !record.starred);
      await ok(post(`${path}/pin`, { duration_seconds: 86_400 }));
      await at(BIA, id, (record) => record.pinned);
      await ok(post(`${path}/unpin`));
      await at(BIA, id, (record) => !record.pinned);
    }
  });

  it("causes one event for each change", () => {
    const changes = receiver
      .events<any>()
      .filter(({ type }) => ["message.sent", "message.edited", "message.deleted", "message.reaction"].includes(type))
      .map(({ type, data }) => `${type} ${data.message_id} ${data.reaction ?? ""}`);
    expect(changes.length).toBeGreaterThan(20);
    expect(changes.filter((change, index) => changes.indexOf(change) !== index)).toEqual([]);
  });
});

describe("an old message", () => {
  let old: PairedConnection;
  const ids: string[] = [];

  beforeAll(async () => {
    const phone = "5511933330009";
    await network.create(phone, "Antiga");
    const ago = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;
    const messages = [3 * DAY_SECONDS, DAY_SECONDS].map((seconds) => ({ text: `de ${seconds}`, timestamp: ago(seconds), from_me: true }));
    const past = await network.call("POST", `/phones/${phone}/history`, { chat_id: chatOf(BIA), messages });
    ids.push(...past.body.message_ids);
    old = await pairConnection(sandbox.ready(), phone, { name: "Antiga" });
  });

  it("can no longer be edited, then no longer be deleted", async () => {
    const [ancient, yesterdays] = ids as [string, string];
    const path = (id: string) => messagePath(chatOf(BIA), id);
    await eventually("the history", 60_000, async () => (await old.api.get(path(yesterdays))).status === 200);
    await refused(old.api.call("PUT", path(yesterdays), { text: "tarde" }), 422, "prazo_de_edicao");
    await refused(old.api.call("DELETE", path(ancient)), 422, "prazo_de_exclusao");
    await ok(old.api.call("DELETE", path(yesterdays)));
    await ok(old.api.call("DELETE", `${path(ancient)}?for_everyone=false`));
    await gone(old.phone, ancient);
  });

  it("can be cleared with all others of its chat", async () => {
    const sent = await ok(old.api.text(CAIO, "para limpar"));
    await at(old.phone, sent.message_id);
    await ok(old.api.call("DELETE", `/chats/${chatOf(CAIO)}/messages`));
    await gone(old.phone, sent.message_id);
    expect(await at(CAIO, sent.message_id)).toMatchObject({ text: "para limpar" });
    expect((await ok(old.api.get(`/chats/${chatOf(CAIO)}/messages`))).data).toEqual([]);
    await refused(old.api.call("DELETE", "/chats/5511900000077/messages"), 404, "conversa_nao_encontrada");
  });

  it("is unchanged while the number is not connected", async () => {
    await ok(old.api.call("POST", "/instance/disconnect"));
    await refused(old.api.text(BIA, "a"), 409, "conexao_desconectada");
    await refused(
      old.api.call("POST", "/messages/image", { to: BIA, media: { url: "https://example.com/a.png" } }),
      409,
      "conexao_desconectada",
    );
    await refused(old.api.call("PUT", `${messagePath(chatOf(BIA), ids[1] ?? "")}/star`, { star: true }), 404, "mensagem_nao_encontrada");
  });
});
