// Ten cases of "would a message be sent now?": the answer in advance, and the send that then does as predicted (docs/use/reachability.md,
// "Advice").
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccountCalls, accountCalls } from "../../support/account-holder.ts";
import { phones } from "../../support/clients.ts";
import { type CloudNumber, connectCloudNumber } from "../../support/cloud/numbers.ts";
import { eventually } from "../../support/eventually.ts";
import { pairConnection, type PairedConnection } from "../../support/paired-connection.ts";
import { ok, refused } from "../../support/replies.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const SHOP = "5511900000441";
const CLOUD = "5511900000442";
const FRIEND = "5511900000443";
const CLOUD_FRIEND = "5511900000444";
const NOBODY = "5511900009944";
const WITHIN_MS = 60_000;

let sandbox: SharedSandbox;
let network: ReturnType<typeof phones>;
let shop: PairedConnection;
let instance: AccountCalls;
let cloud: CloudNumber;
let cloudInstance: AccountCalls;
beforeAll(async () => {
  sandbox = await borrowSandbox();
  const ready = sandbox.ready();
  network = phones(ready);
  await Promise.all([FRIEND, CLOUD_FRIEND].map((phone) => network.create(phone, phone)));
  shop = await pairConnection(ready, SHOP, { name: "Shop" });
  const listed = await ok<{ data: { id: number; instance_id: string }[] }>(shop.owner.call("GET", "/connections"));
  const id = listed.data.find((one) => one.id === shop.id)?.instance_id;
  const account = accountCalls(ready, { "x-api-key": ready.demo.api_key });
  instance = (method, path, ...rest) => account(method, `/instances/${id}${path}`, ...rest);
  cloud = await connectCloudNumber(ready, { phone: CLOUD, name: "Cloud" });
  cloudInstance = (method, path, ...rest) => account(method, `/instances/${cloud.instance}${path}`, ...rest);
});
afterAll(async () => {
  await instance("DELETE", "");
  await cloudInstance("DELETE", "");
  await sandbox.dispose();
});

let strangers = 0;
/** A person to whom neither number has written, even if a test runs again. */
async function stranger(): Promise<string> {
  strangers += 1;
  const phone = `55119000045${String(strangers).padStart(2, "0")}`;
  await network.create(phone, phone);
  return phone;
}

type Number = Pick<PairedConnection, "api">;
const reach = async (phone: string, { api }: Number = shop) => (await ok(api.get(`/contacts/${phone}/reachability`))).data;
const send = (phone: string, { api }: Number = shop) => api.text(phone, "Olá");
const onNetwork = (change: object) => ok(network.call("PATCH", `/phones/${SHOP}`, change));
const pacing = (change: object, call = instance) => ok(call("PATCH", "", { settings: { pacing: change } }));
const arrived = async (phone: string) => (await network.inbox(phone)).length;
const health = (what: string, is: (data: any) => boolean) =>
  eventually(what, WITHIN_MS, async () => is((await ok(instance("GET", "/health"))).data));
const known = ({ api }: Number, phone: string) =>
  eventually(`the chat with ${phone}`, WITHIN_MS, async () => (await api.get(`/chats/${phone}@c.us`)).status === 200);

const quota = (used: number) => ({ total: 10, used, ends_at: Math.floor(Date.now() / 1000) + 86_400 });
async function setQuota(used: number): Promise<void> {
  await onNetwork({ new_chat_quota: quota(used) });
  await health(`${used} used`, ({ new_chat_quota }) => new_chat_quota?.used === used);
}

describe("a linked number tells in advance what the send then does:", () => {
  it("for a known chat", async () => {
    await ok(network.send(FRIEND, { chat_id: SHOP, text: "oi" }));
    await known(shop, FRIEND);
    expect(await reach(FRIEND)).toMatchObject({ exists: true, chat: "known", session: "connected", advice: "send", why: null });
    await ok(send(FRIEND));
  });

  it("for a first contact within the quota, which then counts", async () => {
    await setQuota(8);
    const person = await stranger();
    expect(await reach(person)).toMatchObject({
      exists: true,
      chat: "first_contact",
      new_chats: { left: 2, of: 10 },
      advice: "send",
    });
    await ok(send(person));
    await ok(send(person));
    await health("one more used", ({ new_chat_quota }) => new_chat_quota.used === 9);
  });

  it("for a number that is not on WhatsApp", async () => {
    expect(await reach(NOBODY)).toMatchObject({ exists: false, advice: "do_not_send", why: "not_on_whatsapp" });
    await refused(send(NOBODY), 422, "numero_sem_conta");
  });

  it("for a number whose owner only replies", async () => {
    await pacing({ reply_only: true });
    const person = await stranger();
    expect(await reach(person)).toMatchObject({ advice: "do_not_send", why: "reply_only" });
    await refused(send(person), 403, "conversa_nova_recusada");
    await ok(send(FRIEND));
    await pacing({ reply_only: false });
  });

  it("for a used-up quota: WhatsApp refuses, or the gateway if its owner wants that", async () => {
    await pacing({ first_contacts: "send" });
    await setQuota(10);
    const [one, other] = [await stranger(), await stranger()];
    const advice = { chat: "first_contact", new_chats: { left: 0, of: 10 }, advice: "wait", why: "new_chat_quota" };
    expect(await reach(one)).toMatchObject(advice);
    const { headers } = await refused(send(one), 423, "bloqueio_temporario");
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(80_000);
    await pacing({ first_contacts: "refuse" });
    expect(await reach(other)).toMatchObject(advice);
    await refused(send(other), 423, "bloqueio_temporario");
    expect([await arrived(one), await arrived(other)]).toEqual([0, 0]);
    await ok(send(FRIEND));
  });

  it("for a used-up quota with `hold`: the message waits, and leaves once there is a new quota", async () => {
    await pacing({ first_contacts: "hold" });
    await setQuota(10);
    const person = await stranger();
    expect(await reach(person)).toMatchObject({ advice: "wait", why: "new_chat_quota" });
    const held = await ok(send(person), 202);
    expect(held.status).toBe("waiting");
    const { data } = await ok(shop.api.get("/messages/waiting"));
    expect(data).toMatchObject([{ message_id: held.message_id, waits_for: "restriction" }]);
    await setQuota(0);
    await eventually("the held message", WITHIN_MS, async () => (await arrived(person)) === 1);
    await pacing({ first_contacts: "send" });
  });

  it("for a restriction of new chats, until it is lifted", async () => {
    const until = Math.floor(Date.now() / 1000) + 3_600;
    const person = await stranger();
    await onNetwork({ restricted_until: until });
    await health("restricted", ({ restriction }) => restriction !== null);
    expect(await reach(person)).toMatchObject({
      restriction: { until: new Date(until * 1000).toISOString() },
      advice: "wait",
      why: "restriction",
    });
    await refused(send(person), 423, "bloqueio_temporario");
    expect(await arrived(person)).toBe(0);
    await ok(send(FRIEND));
    await onNetwork({ restricted_until: null });
    await health("free", ({ restriction }) => restriction === null);
    await ok(send(person));
  });

  it("for a disconnected number: a send fails, and with `delivery` it waits for the connection", async () => {
    const person = await stranger();
    await ok(shop.api.call("POST", "/instance/disconnect"));
    expect(await reach(person)).toMatchObject({ exists: null, session: "disconnected", advice: "wait", why: "connection" });
    await refused(send(person), 409, "conexao_desconectada");
    await ok(shop.api.call("POST", "/messages/text", { to: person, text: "Olá", delivery: {} }), 202);
    await ok(shop.api.call("POST", "/instance/connect"));
    await eventually("the waiting message", WITHIN_MS, async () => (await arrived(person)) === 1);
  });
});

describe("a Cloud API number tells in advance what the send then does:", () => {
  it("for an open window", async () => {
    await ok(network.send(CLOUD_FRIEND, { chat_id: CLOUD, text: "oi" }));
    await known(cloud, CLOUD_FRIEND);
    const { window_until, ...answer } = await reach(CLOUD_FRIEND, cloud);
    expect(answer).toMatchObject({ chat: "known", advice: "send", why: null });
    expect(new Date(window_until).getTime()).toBeGreaterThan(Date.now());
    await ok(send(CLOUD_FRIEND, cloud));
    await eventually("the message", WITHIN_MS, async () => (await arrived(CLOUD_FRIEND)) > 0);
  });

  it("for a closed window: Meta refuses a text, or the gateway if its owner wants that", async () => {
    await pacing({ first_contacts: "send" }, cloudInstance);
    const [one, other] = [await stranger(), await stranger()];
    const advice = { chat: "first_contact", window_until: null, advice: "use_template", why: "window_closed" };
    expect(await reach(one, cloud)).toMatchObject(advice);
    const { message_id } = await ok(send(one, cloud));
    await eventually("Meta's refusal", WITHIN_MS, async () => {
      const { body } = await cloud.api.get(`/messages/${message_id}`);
      return body.data.status === "failed" && body.data.error?.codigo === "fora_da_janela";
    });
    await pacing({ first_contacts: "refuse" }, cloudInstance);
    expect(await reach(other, cloud)).toMatchObject(advice);
    await refused(send(other, cloud), 422, "fora_da_janela");
    expect([await arrived(one), await arrived(other)]).toEqual([0, 0]);
  });
});
