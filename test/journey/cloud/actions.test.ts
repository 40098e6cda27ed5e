// A Cloud API number's operations besides sending, against the local Graph network; the contact's phone shows the results.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CloudStore, openCloudStore } from "../../support/cloud/store.ts";
import { eventually } from "../../support/eventually.ts";
import { ok, refused } from "../../support/replies.ts";
import { JPEG, sha256 } from "../../support/sample-files.ts";

const [STORE, ANA, BIA] = ["5511900000711", "5511900000712", "5511900000713"] as const;
const WITHIN_MS = 60_000;
const CHAT = `/chats/${ANA}@c.us`;

let receiver: CloudStore["receiver"];
let store: CloudStore["store"];
let control: CloudStore["control"];
let network: CloudStore["network"];
let instance: CloudStore["instance"];
let close: CloudStore["close"];
beforeAll(async () => {
  ({ receiver, store, control, network, instance, close } = await openCloudStore(STORE, { [ANA]: "Ana", [BIA]: "Bia" }));
});
afterAll(() => close());

const api = (method: string, path: string, json?: unknown) => store.api.call(method, path, json);
const events = (type: string) =>
  receiver
    .events<{ type: string; data: Record<string, any> }>()
    .filter((event) => event.type === type)
    .map(({ data }) => data);
const told = (type: string, what: string, fits: (data: Record<string, any>) => boolean) =>
  eventually(`${type}: ${what}`, WITHIN_MS, () => events(type).find(fits));
const readings = async (messageId: string) => {
  const receipts = await ok<{ data: { kind: string }[] }>(network.call("GET", `/phones/${ANA}/receipts?message_id=${messageId}`));
  return receipts.data.filter(({ kind }) => kind === "read").length;
};

/** Ana writes a text and the number receives it. Returns the id on her phone. */
async function anaWrites(text: string): Promise<string> {
  const { message_id } = await ok(network.send(ANA, { to: STORE, text }));
  await told("message.received", text, (data) => data["text"] === text);
  return message_id;
}

describe("a chat", () => {
  it("is marked as read on the contact's phone, and shows typing there", async () => {
    const first = await anaWrites("Oi");
    expect((await ok(api("GET", CHAT))).data.unread_count).toBe(1);
    expect(await ok(api("POST", `${CHAT}/seen`))).toEqual({ ok: true });
    await eventually("the tick", WITHIN_MS, async () => (await readings(first)) > 0);
    expect((await ok(api("GET", CHAT))).data.unread_count).toBe(0);

    const second = await anaWrites("Alguém aí?");
    expect(await ok(instance("POST", `${CHAT}/typing`, { state: "typing" }))).toEqual({ ok: true });
    await eventually("the tick by typing", WITHIN_MS, async () => (await readings(second)) > 0);
    const seen = (await ok(network.call("GET", `/phones/${ANA}/presence?chat_id=${STORE}@c.us`))).data;
    expect(JSON.stringify(seen)).toContain("typing");
    expect((await ok(api("GET", CHAT))).data.unread_count).toBe(0);
  });

  it("shows no recording, and no typing to a contact who has not written", async () => {
    const before = (await control.requests()).length;
    await refused(api("POST", `${CHAT}/typing`, { state: "recording" }), 501, "nao_suportado");
    await refused(api("POST", `/chats/${BIA}@c.us/typing`, { state: "typing" }), 422, "fora_da_janela");
    expect((await control.requests()).length).toBe(before);
  });
});

it("contacts are blocked where Meta allows it, listed and unblocked", async () => {
  await anaWrites("Bloqueia?");
  expect(await ok(api("POST", `/contacts/${ANA}@c.us/block`))).toEqual({ ok: true });
  expect((await ok(instance("GET", "/contacts/blocked"))).data).toEqual([`${ANA}@c.us`]);
  expect(await ok(instance("POST", `/contacts/${ANA}@c.us/unblock`))).toEqual({ ok: true });
  expect((await ok(api("GET", "/contacts/blocked"))).data).toEqual([]);
  // Bia has not sent anything.
  await refused(api("POST", `/contacts/${BIA}@c.us/block`), 422, "fora_da_janela");
  expect((await ok(instance("GET", "/contacts/blocked"))).data).toEqual([]);
});

it("a call is rejected while it rings, without an event", async () => {
  await ok(network.call("POST", `/phones/${ANA}/call`, { to: STORE }));
  const { call_id } = await told("call", "rings", ({ from, status }) => from === ANA && status === "received");
  expect(await ok(api("POST", "/calls/reject", { call_id, from: ANA }))).toEqual({ ok: true });
  await eventually("rejected on the phone", WITHIN_MS, async () => {
    const { data } = await ok<{ data: { status: string }[] }>(network.call("GET", `/phones/${ANA}/calls`));
    return data.some(({ status }) => status === "rejected");
  });
  expect(await instance("POST", "/calls/reject", { call_id, from: ANA })).toMatchObject({
    status: 409,
    body: { error: { code: "call_ended" } },
  });
  expect((await ok(api("GET", "/calls"))).data).toMatchObject([{ call_id, status: "rejected" }]);
  await anaWrites("Por que não atende?");
  expect(events("call")).toHaveLength(1);
});

it("the profile is shown and changed, except its name and picture", async () => {
  expect(await ok(api("PUT", "/profile/about", { about: "Das 9 às 18" }))).toEqual({ ok: true });
  expect(await ok(instance("PUT", "/profile/picture", { media: { base64: JPEG.toString("base64") } }))).toEqual({ ok: true });
  const profile = (await ok(api("GET", "/profile"))).data;
  expect(profile).toMatchObject({ phone: STORE, name: "Store", about: "Das 9 às 18", is_business: true });
  const picture = await fetch(profile.picture_url);
  expect(sha256(new Uint8Array(await picture.arrayBuffer()))).toBe(sha256(JPEG));
  const shown = (await ok(network.call("GET", `/phones/${ANA}/contacts/${STORE}`))).data;
  expect(shown).toMatchObject({ about: "Das 9 às 18", picture_sha256: sha256(JPEG) });

  await refused(api("PUT", "/profile/about", { about: "" }), 422, "limite_do_tipo");
  await refused(api("PUT", "/profile/name", { name: "Outra" }), 501, "nao_suportado");
  await refused(api("DELETE", "/profile/picture"), 501, "nao_suportado");
});

it("messages are marked as read and calls rejected automatically, if so configured", async () => {
  await ok(instance("PATCH", "", { settings: { mark_read_on_receive: true, reject_calls: true, reject_call_message: "Só por escrito" } }));
  try {
    const message = await anaWrites("Lido sozinho?");
    await eventually("the tick", WITHIN_MS, async () => (await readings(message)) > 0);
    await ok(network.call("POST", `/phones/${ANA}/call`, { to: STORE }));
    await eventually("the reason", WITHIN_MS, async () => (await network.inbox(ANA)).some(({ text }) => text === "Só por escrito"));
    const { data } = await ok<{ data: { status: string }[] }>(network.call("GET", `/phones/${ANA}/calls`));
    expect(data.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  } finally {
    await ok(instance("PATCH", "", { settings: { mark_read_on_receive: false, reject_calls: false, reject_call_message: null } }));
  }
});
