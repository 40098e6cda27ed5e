// A business account's labels, as a customer manages them and as the phone shows them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountCalls, signIn } from "../../support/account-holder.ts";
import { customer, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { pairConnection, type PairedConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { failed, ok } from "../../support/replies.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const SHOP = "5511900000083";
const BIA = "5511900000084";
const CARLA = "5511900000085";
const BIAS_CHAT = `${BIA}@c.us`;
const WITHIN_MS = 60_000;

let sandbox: SharedSandbox;
let receiver: Receiver;
let shop: PairedConnection;
let network: ReturnType<typeof phones>;
beforeAll(async () => {
  [sandbox, receiver] = await Promise.all([borrowSandbox(), Receiver.start()]);
  network = phones(sandbox.ready());
  await network.create(BIA, "Bia");
  await network.create(CARLA, "Carla");
  shop = await pairConnection(sandbox.ready(), SHOP, { name: "Shop", business: true });
  await shop.owner.call("PUT", `/connections/${shop.id}/webhook`, { url: receiver.url });
});
afterAll(() => Promise.all([sandbox.dispose(), receiver.stop()]));

type PhoneLabel = { label_id: string; name: string; color: number; deleted: boolean; chats: string[] };
const labelAtPhone = async (id: string): Promise<PhoneLabel | undefined> =>
  ((await network.call("GET", `/phones/${SHOP}/labels`)).body.data as PhoneLabel[]).find(({ label_id }) => label_id === id);
const chatsAtPhone = async (id: string) => (await labelAtPhone(id))?.chats.map((chat) => chat.replace(/@.*$/, "")) ?? [];
const delivered = (type: string, data: Record<string, unknown>) =>
  receiver.waitFor(
    `${type} ${JSON.stringify(data)}`,
    WITHIN_MS,
    (body) => body["type"] === type && Object.entries(data).every(([name, value]) => body["data"][name] === value),
  );

describe("labels", () => {
  it("are not supported on a personal account", async () => {
    const demo = customer(sandbox.ready());
    const refused = failed(403, "exige_conta_comercial");
    expect(await demo.get("/labels")).toMatchObject(refused);
    expect(await demo.call("POST", "/labels", { name: "VIP" })).toMatchObject(refused);
    expect(await demo.call("PATCH", "/labels/1", { name: "VIP" })).toMatchObject(refused);
    expect(await demo.call("DELETE", "/labels/1")).toMatchObject(refused);
    expect(await demo.get("/labels/1/chats")).toMatchObject(refused);
    expect(await demo.get(`/chats/${BIAS_CHAT}/labels`)).toMatchObject(refused);
    expect(await demo.call("PUT", `/chats/${BIAS_CHAT}/labels`, { label_ids: [] })).toMatchObject(refused);
    expect(await demo.call("POST", `/chats/${BIAS_CHAT}/labels/1`)).toMatchObject(refused);
    expect(await demo.call("DELETE", `/chats/${BIAS_CHAT}/labels/1`)).toMatchObject(refused);
  });

  it("are created, changed and deleted, also on the phone, with events", async () => {
    const made = await shop.api.call("POST", "/labels", { name: "VIP", color: 3 });
    expect(made).toMatchObject({
      status: 200,
      body: { data: { name: "VIP", color: 3, color_hex: "#dfaef0", predefined: false, chats_count: 0 } },
    });
    const id = made.body.data.label_id as string;
    await eventually("the label at the phone", WITHIN_MS, async () => (await labelAtPhone(id))?.name === "VIP");
    await delivered("label.updated", { label_id: id, name: "VIP", color: 3 });

    const changed = await shop.api.call("PATCH", `/labels/${id}`, { name: "Very VIP", color_hex: "#64C4FF" });
    expect(changed).toMatchObject({ status: 200, body: { data: { label_id: id, name: "Very VIP", color: 1, color_hex: "#64c4ff" } } });
    await eventually("the new name at the phone", WITHIN_MS, async () => (await labelAtPhone(id))?.name === "Very VIP");
    await delivered("label.updated", { label_id: id, name: "Very VIP", color: 1 });
    expect((await shop.api.get("/labels")).body.data).toMatchObject([{ label_id: id, name: "Very VIP" }]);

    expect(await shop.api.call("DELETE", `/labels/${id}`)).toMatchObject({ status: 200, body: { ok: true } });
    await eventually("the label gone from the phone", WITHIN_MS, async () => (await labelAtPhone(id))?.deleted === true);
    await delivered("label.deleted", { label_id: id, name: "Very VIP" });
    expect((await shop.api.get("/labels")).body.data).toEqual([]);
    expect(await shop.api.call("PATCH", `/labels/${id}`, { name: "again" })).toMatchObject(failed(404, "etiqueta_nao_encontrada"));
  });

  it("appear here when they are created on the phone", async () => {
    await network.call("POST", `/phones/${SHOP}/labels`, { label_id: "40", name: "Do celular", color: 5 });
    await delivered("label.updated", { label_id: "40", name: "Do celular" });
    expect((await shop.api.get("/labels")).body.data).toMatchObject([{ label_id: "40", color: 5, color_hex: "#55ccb3" }]);
    const next = await shop.api.call("POST", "/labels", { name: "Depois" });
    expect(next.body.data).toMatchObject({ label_id: "41", color: 0 });
    await shop.api.call("DELETE", "/labels/41");
  });

  it("are added to chats and removed", async () => {
    await shop.api.text(BIA, "oi");
    const [first, second] = (await Promise.all(["Primeira", "Segunda"].map((name) => shop.api.call("POST", "/labels", { name })))).map(
      ({ body }) => body.data.label_id as string,
    ) as [string, string];
    expect(await shop.api.call("POST", `/chats/${BIAS_CHAT}/labels/${first}`)).toMatchObject({ status: 200, body: { ok: true } });
    await eventually("it on the phone's chat", WITHIN_MS, async () => (await chatsAtPhone(first)).includes(BIA));
    await delivered("label.chat.added", { label_id: first, chat_id: BIAS_CHAT, phone: BIA, name: "Primeira" });

    const set = await shop.api.call("PUT", `/chats/${BIAS_CHAT}/labels`, { label_ids: [second, "40"] });
    expect(set.body.data.map((label: { label_id: string }) => label.label_id)).toEqual(["40", second]);
    await delivered("label.chat.removed", { label_id: first, chat_id: BIAS_CHAT });
    await eventually(
      "the set at the phone",
      WITHIN_MS,
      async () =>
        !(await chatsAtPhone(first)).includes(BIA) &&
        (await chatsAtPhone(second)).includes(BIA) &&
        (await chatsAtPhone("40")).includes(BIA),
    );

    expect((await shop.api.get(`/chats/${BIAS_CHAT}/labels`)).body.data).toMatchObject([
      { label_id: "40", chats_count: 1 },
      { label_id: second },
    ]);
    expect((await shop.api.get(`/labels/${second}/chats`)).body).toMatchObject({
      data: [{ chat_id: BIAS_CHAT, label_ids: expect.arrayContaining([second, "40"]) }],
      next_cursor: null,
    });
    expect((await shop.api.get(`/chats?label_id=${second}`)).body.data).toMatchObject([{ chat_id: BIAS_CHAT }]);

    expect(await shop.api.call("DELETE", `/chats/${BIAS_CHAT}/labels/${second}`)).toMatchObject({ status: 200, body: { ok: true } });
    await eventually("it gone from the phone's chat", WITHIN_MS, async () => !(await chatsAtPhone(second)).includes(BIA));
    // A contact without any messages.
    expect(await shop.api.call("POST", `/chats/${CARLA}@c.us/labels/40`)).toMatchObject({ status: 200 });
    expect((await shop.api.get("/labels/40/chats")).body.data.map((chat: { chat_id: string }) => chat.chat_id).toSorted()).toEqual([
      BIAS_CHAT,
      `${CARLA}@c.us`,
    ]);
  });

  it("are added to messages and removed, by the account", async () => {
    const { data } = (await shop.owner.call("GET", "/connections")).body as { data: { id: number; instance_id: string }[] };
    const instance = data.find(({ id }) => id === shop.id)?.instance_id;
    const account = accountCalls(sandbox.ready(), { authorization: `Bearer ${await signIn(sandbox.ready())}` });
    const { message_id } = (await network.send(BIA, { to: SHOP, text: "Um pedido" })).body;
    await delivered("message.received", { message_id });
    const labelsAtPhone = async () => (await network.inbox(SHOP)).find((message) => message["message_id"] === message_id)?.["labels"];
    const label = (labelId: string, message = message_id) =>
      `/instances/${instance}/chats/${BIAS_CHAT}/messages/${message}/labels/${labelId}`;
    expect(await ok(account("POST", label("40")))).toEqual({ ok: true });
    await eventually("it on the phone's message", WITHIN_MS, async () => (await labelsAtPhone())?.join() === "40");
    expect(await ok(account("DELETE", label("40")))).toEqual({ ok: true });
    await eventually("it gone from the phone's message", WITHIN_MS, async () => (await labelsAtPhone())?.join() === "");
    expect((await account("POST", label("999"))).body.error.code).toBe("label_not_found");
    expect((await account("POST", label("40", "3EB0NEVER"))).body.error.code).toBe("message_not_found");
  });

  it("refuse unknown ids", async () => {
    expect(await shop.api.call("POST", `/chats/${BIAS_CHAT}/labels/999`)).toMatchObject(failed(404, "etiqueta_nao_encontrada"));
    expect(await shop.api.call("PUT", `/chats/${BIAS_CHAT}/labels`, { label_ids: ["999"] })).toMatchObject(
      failed(404, "etiqueta_nao_encontrada"),
    );
    expect(await shop.api.call("DELETE", "/labels/999")).toMatchObject(failed(404, "etiqueta_nao_encontrada"));
    expect(await shop.api.get("/labels/999/chats")).toMatchObject(failed(404, "etiqueta_nao_encontrada"));
    expect(await shop.api.call("POST", "/chats/5511900009999@c.us/labels/40")).toMatchObject(failed(404, "conversa_nao_encontrada"));
    expect(await shop.api.call("POST", "/chats/120363000000000001@g.us/labels/40")).toMatchObject(failed(404, "conversa_nao_encontrada"));
    expect(await shop.api.call("POST", "/labels", { name: "VIP", color: 20 })).toMatchObject(failed(400, "requisicao_invalida"));
    expect(await shop.api.call("POST", "/labels", { name: "VIP", color_hex: "#123456" })).toMatchObject(failed(400, "requisicao_invalida"));
    expect(await shop.api.call("PATCH", "/labels/40", {})).toMatchObject(failed(400, "requisicao_invalida"));
  });

  it("are limited to twenty", async () => {
    const there = (await shop.api.get("/labels")).body.data.length as number;
    const answers = await Promise.all(
      Array.from({ length: 21 - there }, (_, at) => shop.api.call("POST", "/labels", { name: `Etiqueta ${at}` })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 20 - there }, () => 200), 409]);
    expect(answers.find(({ status }) => status === 409)).toMatchObject(failed(409, "limite_de_etiquetas"));
    const ids = (await shop.api.get("/labels")).body.data.map((label: { label_id: string }) => label.label_id) as string[];
    expect(new Set(ids).size).toBe(20);
    await eventually("all of them at the phone", WITHIN_MS, async () =>
      (await Promise.all(ids.map(labelAtPhone))).every((label) => label?.deleted === false),
    );
  });
});
