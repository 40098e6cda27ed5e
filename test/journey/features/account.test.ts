// An account holder's complete path through the Account API, with people and phones at the other end: sign in, create a key, create and
// pair an instance, receive all its events, act, and remove it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACCOUNT_EVENT_TYPES } from "#root/src/api/events/account/events.ts";
import { ACCOUNT_EVENT_EXAMPLES } from "#root/src/api/events/account/examples.ts";
import { ACCOUNT_EVENTS } from "@gateway/domain/webhooks/style/account.ts";
import { lidFor } from "#root/test-network/directory.ts";
import { accountEvent } from "../../support/events/account-events.ts";
import { type AccountCalls, accountCalls, AccountHook, signIn } from "../../support/account-holder.ts";
import { customer, person, phones } from "../../support/clients.ts";
import { hasShapeOf, isRecording, recordExamples } from "../../support/events/event-examples.ts";
import { eventually } from "../../support/eventually.ts";
import { ok } from "../../support/replies.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const [STORE, BIA, CAIO, DUDA] = ["5511900000161", "5511900000162", "5511900000163", "5511900000164"] as const;
const WITHIN_MS = 60_000;
/** Unique, because other files use the account too. */
const NAME = "Store-of-161";
const networkId = (phone: string) => `${phone}@s.whatsapp.net`;

let sandbox: SharedSandbox;
let network: ReturnType<typeof phones>;
let scoped: AccountHook;
let everywhere: AccountHook;
let api: AccountCalls;
let bearer: AccountCalls;
let key: string;
let instance: string;
let group: string;
let firstQr: string;
/** Endpoints that existed before, and this file's endpoint for all instances. */
const found = new Set<string>();
let global: string;

beforeAll(async () => {
  [sandbox, scoped, everywhere] = await Promise.all([
    borrowSandbox(),
    AccountHook.open("a long random text", { "X-Env": "test", "X-Number": "7" }),
    AccountHook.open(null),
  ]);
  network = phones(sandbox.ready());
  // Bia is created later: contacts in a phone's history are already known when the number is linked.
  for (const [phone, name] of Object.entries({ [STORE]: "Store", [CAIO]: "Caio", [DUDA]: "Duda" })) await network.create(phone, name);
});
afterAll(async () => {
  await sandbox.dispose();
  await Promise.all([scoped.receiver.stop(), everywhere.receiver.stop()]);
});

/** Performs an action on a phone. */
async function on(phone: string, action: string, json?: unknown): Promise<any> {
  const { status, body } = await network.call("POST", `/phones/${phone}/${action}`, json ?? {});
  expect(status, `${action}: ${JSON.stringify(body)}`).toBeLessThan(300);
  return body;
}

/** The instance on the Connection API. The dashboard shows both its ids. */
async function keyOfInstance(): Promise<ReturnType<typeof customer>> {
  const owner = await person(sandbox.ready());
  const { data } = (await owner.call("GET", "/connections")).body as { data: { id: number; instance_id: string }[] };
  const numeric = data.find(({ instance_id }) => instance_id === instance)?.id;
  const made = await owner.call("POST", `/connections/${numeric}/keys`, { name: "journey" });
  return customer(sandbox.ready(), made.body.data.key as string);
}

const webhooks = async (): Promise<{ id: string; instance_id: string | null }[]> => (await ok(api("GET", "/webhooks"))).data;
const at = (path: string) => `/instances/${instance}${path}`;
const statusIs = (wanted: string) =>
  eventually(`status ${wanted}`, WITHIN_MS, async () => (await ok(api("GET", at("/status")))).data.status === wanted);
const delivered: AccountHook["delivered"] = (...event) => scoped.delivered(...event);
const deliveredFor = (event: Parameters<typeof delivered>[0], id: string) => delivered(event, id, (data) => data.message_id === id);

describe("a new owner", () => {
  it("gets from a password to a key, which only people can make", async () => {
    const ready = sandbox.ready();
    bearer = accountCalls(ready, { authorization: `Bearer ${await signIn(ready)}` });
    const made = await ok(bearer("POST", "/api-keys", { name: "Journey" }), 201);
    expect(made.data).toMatchObject({ name: "Journey", scopes: ["read", "send", "manage"], instance_ids: null });
    key = made.data.key;
    api = accountCalls(ready, { "x-api-key": key });
    expect((await ok(api("GET", "/me"))).data).toMatchObject({ email: ready.demo.email, api_key: { id: made.data.id, name: "Journey" } });
    expect((await api("POST", "/api-keys", { name: "More" })).body.error.code).toBe("bearer_required");
    expect((await ok(api("GET", "/health/ready"))).checks).toEqual({ d1: true, migrations: true, durable_objects: true, bridge: true });
  });

  it("gets from a QR code to a connected number, with events along the way", async () => {
    const all = { events: [...ACCOUNT_EVENTS] };
    // A phone sends fewer messages on its own, so the first eleven are not synchronized.
    const past = Array.from({ length: 211 }, (_, n) => ({ text: `past ${n}`, timestamp: 1_700_000_000 + n }));
    await on(STORE, "history", { chat_id: CAIO, messages: past });
    for (const { id } of await webhooks()) found.add(id);
    global = (await ok(api("POST", "/webhooks", { ...all, url: everywhere.receiver.url }), 201)).data.id;
    const made = await ok(
      api("POST", "/instances", {
        name: NAME,
        metadata: { customer: "4711" },
        settings: { device_name: "Counter" },
        webhook: { ...all, url: scoped.receiver.url, secret: "a long random text", headers: { "X-Env": "test", "X-Number": 7 } },
      }),
      201,
    );
    instance = made.data.id;
    const { raw, qr, attempt } = await delivered("instance.qr", "the first");
    firstQr = raw;
    expect(attempt).toBe(1);
    await statusIs("scan_qr");
    expect(await ok(api("GET", at("/qr")))).toEqual({ qr, raw });
    await on(STORE, "scan", { qr: raw });
    expect(await delivered("instance.connected", "after the scan")).toMatchObject({ instance_id: instance, phone_number: STORE });
    await statusIs("connected");
    expect((await ok(api("GET", at("")))).data).toMatchObject({ phone_number: STORE, metadata: { customer: "4711" }, status: "connected" });
    expect((await api("GET", at("/qr"))).body.error.code).toBe("qr_not_available");
    expect((await ok(api("GET", `/instances?status=connected&q=${NAME}`))).data.map(({ id }: { id: string }) => id)).toEqual([instance]);
  });
});

describe("events", () => {
  it("message.received and contact.created: somebody new writes", async () => {
    await network.create(BIA, "Bia");
    const { message_id } = await on(BIA, "send", { to: STORE, text: "Hello" });
    expect(await deliveredFor("message.received", message_id)).toMatchObject({
      chat_id: `${BIA}@c.us`,
      from: networkId(BIA),
      type: "text",
      text: "Hello",
      is_group: false,
      participant: null,
      push_name: "Bia",
    });
    expect(await delivered("contact.created", "Bia", (data) => data.phone_number === BIA)).toMatchObject({
      contact_id: `${BIA}@c.us`,
      push_name: "Bia",
      source: "detected",
    });
  });

  it("contact.created: the owner saves somebody", async () => {
    const { status } = await network.call("PATCH", `/phones/${STORE}/contacts/${DUDA}`, { full_name: "Duda Dias" });
    expect(status).toBe(200);
    expect(await delivered("contact.created", "Duda", (data) => data.phone_number === DUDA)).toMatchObject({
      name: "Duda Dias",
      source: "saved",
    });
  });

  it("message.sent, message.delivered and message.read: the number writes", async () => {
    const { message_id } = await on(STORE, "send", { to: BIA, text: "How can we help?" });
    expect(await deliveredFor("message.sent", message_id)).toMatchObject({ to: networkId(BIA), source: "phone", text: "How can we help?" });
    expect(await deliveredFor("message.delivered", message_id)).toMatchObject({
      chat_id: `${BIA}@c.us`,
      status: "delivered",
      to: networkId(BIA),
    });
    await on(BIA, "read", { chat_id: STORE });
    expect(await deliveredFor("message.read", message_id)).toMatchObject({ status: "read", participant: null });
    const { message_id: reacted } = await on(BIA, "send", { to: STORE, text: "A question" });
    await deliveredFor("message.received", reacted);
    await on(BIA, "react", { chat_id: STORE, message_id, reaction: "👍" });
    expect(await deliveredFor("message.reaction", message_id)).toMatchObject({ from: networkId(BIA), reaction: "👍", from_me: false });
  });

  it("message.failed: the network refuses", async () => {
    const store = await keyOfInstance();
    await network.call("POST", "/faults", { phone: STORE, kind: "refuse_send", code: 463, ms: 60_000 });
    expect((await store.text(BIA, "No")).status).toBe(423);
    expect(await delivered("message.failed", "463")).toMatchObject({
      chat_id: `${BIA}@c.us`,
      status: "failed",
      error: { code: "temporarily_blocked" },
    });
    await network.call("DELETE", "/faults");
  });

  it("group.joined and group.left: added, removed through the API, gone by themselves", async () => {
    group = (await on(STORE, "groups", { subject: "Team", participants: [BIA, CAIO, DUDA] })).group_id;
    await delivered("group.joined", "ourselves", (data) => data.group_id === group && data.is_me);
    const { message_id } = await on(BIA, "send", { chat_id: group, text: "Hi all" });
    expect(await deliveredFor("message.received", message_id)).toMatchObject({ is_group: true, participant: networkId(BIA) });

    const removed = await ok(api("POST", at(`/groups/${group}/participants/remove`), { participants: [`${CAIO}@c.us`] }));
    expect(removed.data).toEqual([{ id: `${CAIO}@c.us`, phone: CAIO, status: "ok", code: 200, reason: null, invite_sent: false }]);
    const left = (phone: string) => delivered("group.left", phone, (data) => data.participant === networkId(phone));
    expect(await left(CAIO)).toMatchObject({ group_id: group, by: networkId(STORE), is_me: false, reason: "removed" });
    const members = (await network.call("GET", `/phones/${BIA}/groups/${group}`)).body;
    expect(JSON.stringify(members)).not.toContain(CAIO);
    await on(DUDA, `groups/${group}/leave`);
    expect(await left(DUDA)).toMatchObject({ reason: "left" });
    await on(STORE, `groups/${group}/add`, { participants: [CAIO] });
    const joined = await delivered("group.joined", "Caio again", (data) => data.participant === networkId(CAIO) && data.reason === "added");
    expect(joined).toMatchObject({ group_id: group, is_me: false });
  });

  it("group rights are the network's: a non-admin cannot remove anyone", async () => {
    const { group_id } = await on(BIA, "groups", { subject: "Bia's", participants: [STORE, CAIO] });
    await delivered("group.joined", "Bia's group", (data) => data.group_id === group_id && data.is_me);
    const refused = await api("POST", at(`/groups/${group_id}/participants/remove`), { participants: [`${CAIO}@c.us`] });
    expect([refused.status, refused.body.error.code]).toEqual([403, "not_group_admin"]);
  });
});

describe("chats", () => {
  it("are read, files included, and marked as seen on the sender's phone", async () => {
    const media = { base64: btoa("what the file holds"), mimetype: "application/pdf", filename: "bill.pdf" };
    const { message_id } = await on(BIA, "send", { to: STORE, type: "document", media, caption: "The bill" });
    await deliveredFor("message.received", message_id);
    const page = await ok(api("GET", at(`/chats/${BIA}@c.us/messages?limit=2&downloadMedia=true`)));
    expect(page.data[0]).toMatchObject({ message_id, type: "document", from: `${BIA}@c.us`, from_me: false });
    expect(atob(page.data[0].media.base64)).toBe("what the file holds");
    expect(await (await fetch(page.data[0].media.url)).text()).toBe("what the file holds");
    expect(page.data).toHaveLength(2);
    const file = await fetch(`${sandbox.ready().base_url}/api${at(`/chats/${BIA}@c.us/messages/${message_id}/media`)}`, {
      headers: { "x-api-key": key },
    });
    expect([file.headers.get("content-type"), file.headers.get("content-disposition")]).toEqual([
      // The gateway keeps only types that browsers never execute.
      "application/octet-stream",
      `attachment; filename="bill.pdf"; filename*=UTF-8''bill.pdf`,
    ]);
    expect(await file.text()).toBe("what the file holds");
    expect(await ok(api("POST", at(`/chats/${BIA}@c.us/seen`)))).toEqual({ ok: true });
    await eventually("a blue tick at Bia's", WITHIN_MS, async () => hasReceipt(BIA, message_id, "read"));
  });
});

describe("people", () => {
  it("are known by number and by LID", async () => {
    const pair = { lid: `${lidFor(DUDA)}@lid`, phone: DUDA };
    expect(await ok(api("GET", at(`/lids/pn/${DUDA}`)))).toEqual({ data: pair });
    expect(await ok(api("GET", at(`/lids/${pair.lid}`)))).toEqual({ data: pair });
    expect((await api("GET", at("/lids/pn/5511999999999"))).body.error.code).toBe("contact_not_found");
    expect((await api("GET", at("/lids/150000000000088"))).body.error.code).toBe("contact_not_found");
  });

  it("see of the number what its privacy settings show, here and on the phone", async () => {
    const privacy = async () => (await network.call("GET", `/phones/${STORE}/privacy`)).body.data;
    const read = async () => (await ok(api("GET", at("/profile/privacy")))).data;
    expect(await read()).toEqual({
      last_seen: "all",
      online: "all",
      picture: "all",
      about: "all",
      read_receipts: "all",
      groups_add: "all",
      calls: "all",
      messages: "all",
    });
    const changed = { last_seen: "contacts", calls: "known", read_receipts: "none" };
    expect((await ok(api("PATCH", at("/profile/privacy"), changed))).data).toMatchObject({ ...changed, online: "all" });
    expect(await privacy()).toMatchObject({ last: "contacts", calladd: "known", readreceipts: "none", online: "all" });

    const quiet = await on(BIA, "send", { to: STORE, text: "Are you there?" });
    await deliveredFor("message.received", quiet.message_id);
    await ok(api("POST", at(`/chats/${BIA}@c.us/seen`)));
    await network.call("PATCH", `/phones/${STORE}/privacy`, { last: "all", calladd: "all", readreceipts: "all" });
    expect(await read()).toMatchObject({ last_seen: "all", calls: "all", read_receipts: "all" });
    const loud = await on(BIA, "send", { to: STORE, text: "And now?" });
    await deliveredFor("message.received", loud.message_id);
    await ok(api("POST", at(`/chats/${BIA}@c.us/seen`)));
    await eventually("a blue tick at Bia's", WITHIN_MS, () => hasReceipt(BIA, loud.message_id, "read"));
    expect(await hasReceipt(BIA, quiet.message_id, "read")).toBe(false);
    expect((await api("PATCH", at("/profile/privacy"), { online: "none" })).body.error.code).toBe("validation_error");
    expect((await api("PATCH", at("/profile/privacy"), {})).body.error.code).toBe("validation_error");
  });
});

describe("history", () => {
  it("is delivered when the number is linked, and older messages when the phone is asked", async () => {
    const state = async () => (await ok(api("GET", at("/history-sync")))).data;
    const oldest = async () => (await ok(api("GET", at(`/chats/${CAIO}@c.us/messages?limit=200`)))).data.at(-1)?.text;
    await eventually("the phone's history", WITHIN_MS, async () => (await oldest()) === "past 11");
    const { messages } = await state();
    expect((await ok(api("POST", at("/history-sync"), { chat_id: `${CAIO}@c.us`, count: 8 }), 202)).message).toMatch(/asked/);
    // Not counted, because the phone may still be sending other chats.
    await eventually("eight older messages", WITHIN_MS, async () => {
      const { data } = await ok(api("GET", at(`/chats/${CAIO}@c.us/messages?q=${encodeURIComponent("past 3")}`)));
      return data.some(({ text }: { text: string }) => text === "past 3");
    });
    await eventually("the end", WITHIN_MS, async () => (await state()).state === "complete");
    const after = await state();
    expect(after.progress).toBe(100);
    expect(after.messages).toBeGreaterThanOrEqual(messages + 8);
    expect((await api("POST", at("/history-sync"), { chat_id: "5511999999999@c.us" })).body.error.code).toBe("chat_not_found");
    expect(scoped.all().filter(({ data }) => String(data.text).startsWith("past"))).toEqual([]);
  });
});

async function hasReceipt(phone: string, messageId: string, kind: string): Promise<boolean> {
  const { body } = await network.call("GET", `/phones/${phone}/receipts?message_id=${messageId}`);
  return (body.data as { kind: string }[]).some((receipt) => receipt.kind === kind);
}

describe("settings", () => {
  const set = (settings: object) => ok(api("PATCH", at(""), { settings }));

  it("mark_read_on_receive: the sender sees the tick at once", async () => {
    const before = await on(BIA, "send", { to: STORE, text: "Not yet" });
    await deliveredFor("message.received", before.message_id);
    expect(await hasReceipt(BIA, before.message_id, "read")).toBe(false);
    await set({ mark_read_on_receive: true });
    const { message_id } = await on(BIA, "send", { to: STORE, text: "Now" });
    await eventually("a blue tick at Bia's", WITHIN_MS, () => hasReceipt(BIA, message_id, "read"));
    await set({ mark_read_on_receive: false });
  });

  it("reject_calls: the caller is rejected and gets the configured message", async () => {
    await set({ reject_calls: true, reject_call_message: "Please write to us." });
    const { call_id } = await on(BIA, "call", { to: STORE });
    await eventually("the call is rejected", WITHIN_MS, async () => {
      const { body } = await network.call("GET", `/phones/${BIA}/calls`);
      return (body.data as { call_id: string; status: string }[]).find((call) => call.call_id === call_id)?.status === "rejected";
    });
    await eventually("the answer at Bia's", WITHIN_MS, async () =>
      (await network.inbox(BIA)).some((message) => message["text"] === "Please write to us."),
    );
    await set({ reject_calls: false });
  });

  it("pacing: no messages to new contacts while the number only replies", async () => {
    await set({ pacing: { reply_only: true } });
    const store = await keyOfInstance();
    const stranger = await store.text(DUDA, "Hello Duda");
    expect([stranger.status, stranger.body.error.codigo]).toEqual([403, "conversa_nova_recusada"]);
    expect((await store.text(BIA, "Hello Bia")).status).toBe(200);
    await set({ pacing: { reply_only: false } });
    expect((await store.text(DUDA, "Hello again, Duda")).status).toBe(200);
  });
});

describe("a leaving owner", () => {
  it("disconnects and keeps the session, restarts it, logs out and pairs anew", async () => {
    expect((await ok(api("POST", at("/disconnect")))).message).toMatch(/kept/);
    expect(await delivered("instance.disconnected", "by hand")).toMatchObject({
      status: "disconnected",
      reason: "manual",
      will_reconnect: false,
    });
    const times = () => scoped.all().filter(({ event }) => event === "instance.connected").length;
    const before = times();
    await ok(api("POST", at("/connect"), {}));
    await statusIs("connected");
    await ok(api("POST", at("/restart")));
    await statusIs("connected");
    await eventually("connected again without a scan", WITHIN_MS, () => times() > before);
    await ok(api("POST", at("/logout")));
    await delivered("instance.disconnected", "logged out", (data) => data.reason === "logged_out");
    expect((await ok(api("GET", at("/status")))).data).toMatchObject({ status: "disconnected", status_reason: "logged_out" });
    await ok(api("POST", at("/connect"), {}));
    await statusIs("scan_qr");
    await delivered("instance.qr", "the second", (data) => data.attempt === 1 && data.raw !== firstQr);
  });

  it("gets all types at the scoped and the global endpoint, strict and signed, each id with one body", async () => {
    const here = scoped.all();
    expect([...new Set(here.map(({ event }) => event))].toSorted()).toEqual(ACCOUNT_EVENTS.toSorted());
    expect(new Set(here.map(({ id }) => id)).size).toBe(new Set(scoped.receiver.received.map(({ body }) => body)).size);
    await eventually("the same at the global endpoint", WITHIN_MS, () => {
      const there = everywhere.all().filter(({ instance_id }) => instance_id === instance);
      const known = new Set(there.map(({ event, data }) => JSON.stringify([event, data])));
      return here.every(({ event, data }) => known.has(JSON.stringify([event, data])));
    });
  });

  it("gets the events that the documented examples show", async () => {
    await ok(api("POST", `/webhooks/${global}/test`, {}));
    await everywhere.delivered("webhook.test", "the test asked for");
    const bodies = [...scoped.all(), ...everywhere.all()];
    const prefer = (event: string, { data }: any) =>
      ({
        "message.received": !data.is_group,
        "message.delivered": data.participant === null,
        "message.read": data.participant === null,
        "instance.connected": data.profile_name !== null,
      })[event] ?? false;
    const head = "// Recorded bodies: running test/journey/features/account.test.ts with RECORD_EXAMPLES=1 rewrites this file.";
    const examples: Readonly<Record<string, unknown>> = isRecording
      ? recordExamples({
          file: "src/api/events/account/examples.ts",
          constant: "ACCOUNT_EVENT_EXAMPLES",
          head,
          types: ACCOUNT_EVENT_TYPES,
          current: ACCOUNT_EVENT_EXAMPLES,
          bodies: bodies.map((body) => [body.event, body] as const),
          prefer,
        })
      : ACCOUNT_EVENT_EXAMPLES;
    for (const type of ACCOUNT_EVENT_TYPES) {
      const example = examples[type];
      expect(accountEvent(type).safeParse(example).error, type).toBeUndefined();
      expect(bodies.filter(({ event }) => event === type).some(hasShapeOf(example)), `no ${type} has the fields of its example`).toBe(true);
    }
  });

  it("deletes the instance, and with it its own endpoint", async () => {
    const hooks = async () => (await webhooks()).filter(({ id }) => !found.has(id)).map(({ instance_id }) => instance_id);
    expect(await hooks()).toEqual([null, instance]);
    expect((await ok(api("DELETE", at("")))).message).toMatch(/deleted/);
    expect((await api("GET", at(""))).body.error.code).toBe("instance_not_found");
    expect(await hooks()).toEqual([null]);
    // The account is shared, so this file's endpoints are deleted.
    await ok(api("DELETE", `/webhooks/${global}`));
  });
});
