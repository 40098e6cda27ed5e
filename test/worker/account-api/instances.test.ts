// Instances: create, list, change, connect, delete.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { DEFAULT_INSTANCE_SETTINGS } from "@gateway/protocol/instance-settings.ts";
import { setSubscription } from "#root/src/services/subscriptions/set.ts";
import { FakeBridge } from "../fakes/bridge.ts";
import { event } from "../fakes/connection.ts";
import { type Calls, codeOf, holder, instanceOf } from "../support/accounts.ts";

const bridges: FakeBridge[] = [];
afterEach(async () => {
  for (const bridge of bridges.splice(0)) await bridge.left();
});

/** Connects the instance through its own bridge. */
async function sessionOf(call: Calls, id: string) {
  const bridge = await FakeBridge.dial();
  bridges.push(bridge);
  expect((await call("POST", `/instances/${id}/connect`)).body).toEqual({ message: "The instance is being connected." });
  return bridge.open(id);
}

const fieldsOf = (body: { error: { details: { field: string }[] } }) => body.error.details.map(({ field }) => field);

describe("creating an instance", () => {
  it("answers with every field", async () => {
    const { who, call } = await holder();
    const made = await call("POST", "/instances", {
      name: " Loja ",
      connect: false,
      settings: { ignore_groups: true, device_name: "Balcão", pacing: { min_gap_ms: 0 } },
      metadata: { customer: "4711" },
    });
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({
      user_id: who.user.id,
      name: "Loja",
      kind: "session",
      status: "disconnected",
      status_reason: "created",
      phone_number: null,
      settings: { ...DEFAULT_INSTANCE_SETTINGS, ignore_groups: true, device_name: "Balcão" },
      metadata: { customer: "4711" },
      proxy_id: null,
      restriction: null,
      ban: null,
      cloud_api: null,
    });
    expect((await call("GET", `/instances/${made.body.data.id}`)).body).toEqual(made.body);
  });

  it("connects it by default", async () => {
    const { call } = await holder();
    const made = await call("POST", "/instances", { name: "Loja" });
    expect(made.body.data).toMatchObject({ status: "connecting", status_reason: "starting" });
    await call("POST", `/instances/${made.body.data.id}/disconnect`);
  });

  it("creates a webhook for this instance with it", async () => {
    const { call } = await holder();
    const made = await call("POST", "/instances", {
      name: "Loja",
      connect: false,
      webhook: { url: "https://hooks.example.com/", events: ["message.received"], secret: "s" },
    });
    const webhooks = (await call("GET", "/webhooks")).body.data;
    expect(webhooks).toMatchObject([{ instance_id: made.body.data.id, secret: "s", is_active: true, retry_count: 3, timeout_ms: 5000 }]);
  });

  it("creates nothing when a part is refused", async () => {
    const { call } = await holder();
    const webhook = { url: "https://10.0.0.1/", events: ["message.received"] };
    expect(codeOf(await call("POST", "/instances", { name: "x", webhook }))).toEqual([422, "url_not_allowed"]);
    expect(codeOf(await call("POST", "/instances", { name: "x", proxy_id: crypto.randomUUID() }))).toEqual([400, "validation_error"]);
    expect((await call("GET", "/instances")).body.data).toEqual([]);
  });

  it("names the wrong fields", async () => {
    const { call } = await holder();
    const cloud = { phone_number_id: "1", waba_id: "2", access_token: "t", app_secret: "s" };
    for (const [body, ...fields] of [
      [{}, "name"],
      [{ name: "x", knd: 1 }, "knd"],
      [{ name: "x", kind: "phone" }, "kind"],
      [{ name: "x", settings: { unknown: true } }, "settings.unknown"],
      [{ name: "x", settings: { media_retention_days: 31 } }, "settings.media_retention_days"],
      [{ name: "x", settings: { message_retention_days: 0 } }, "settings.message_retention_days"],
      [{ name: "x", settings: { message_retention_days: 3_651 } }, "settings.message_retention_days"],
      [{ name: "x", metadata: { a: "b".repeat(501) } }, "metadata.a"],
      [{ name: "x", metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, ""])) }, "metadata"],
      [{ name: "x", kind: "cloud_api" }, "cloud_api"],
      [{ name: "x", cloud_api: cloud }, "cloud_api"],
    ] as const) {
      const answer = await call("POST", "/instances", body);
      expect([codeOf(answer), fieldsOf(answer.body)]).toEqual([[400, "validation_error"], fields]);
    }
    expect(codeOf(await call("POST", "/instances", "{"))).toEqual([400, "invalid_json"]);
    expect(codeOf(await call("POST", "/instances", "{}", { "content-type": "text/plain" }))).toEqual([415, "unsupported_media_type"]);
  });

  it("needs a subscription with a free place", async () => {
    const [poor, full] = [await holder(undefined, null), await holder(undefined, 1)];
    expect(codeOf(await poor.call("POST", "/instances", { name: "x" }))).toEqual([402, "subscription_required"]);
    await instanceOf(full.call);
    expect(codeOf(await full.call("POST", "/instances", { name: "x" }))).toEqual([409, "instance_limit"]);
  });

  it("happens once for a repeated Idempotency-Key", async () => {
    const { call } = await holder();
    const once = { "idempotency-key": "a" };
    const make = (name: string) => call("POST", "/instances", { name, connect: false }, once);
    const [first, second, other] = [await make("Loja"), await make("Loja"), await make("Outra")];
    expect(second.body).toEqual(first.body);
    expect([second.status, second.headers.get("idempotent-replayed"), second.headers.get("idempotency-mismatch")]).toEqual([
      201,
      "true",
      null,
    ]);
    expect([other.body.data.name, other.headers.get("idempotency-mismatch")]).toEqual(["Loja", "true"]);
    expect((await call("GET", "/instances")).body.data).toHaveLength(1);
    expect(codeOf(await call("POST", "/instances", { name: "x" }, { "idempotency-key": "a b" }))).toEqual([400, "invalid_idempotency_key"]);
  });
});

describe("the list", () => {
  it("is paged and filtered", async () => {
    const { call } = await holder();
    const made = [];
    for (const name of ["Loja Centro", "Loja Norte", "Depósito"]) made.push(await instanceOf(call, { name }));
    const first = await call("GET", "/instances?limit=2");
    expect(first.body.data).toEqual(made.slice(0, 2));
    const second = await call("GET", `/instances?limit=2&cursor=${first.body.next_cursor}`);
    expect(second.body).toEqual({ data: made.slice(2), next_cursor: null });
    const names = async (query: string) => (await call("GET", `/instances?${query}`)).body.data.map((each: { name: string }) => each.name);
    expect(await names("q=loja")).toEqual(["Loja Centro", "Loja Norte"]);
    expect(await names("q=%25")).toEqual([]);
    expect(await names("kind=cloud_api")).toEqual([]);
    expect(codeOf(await call("GET", "/instances?status=sleeping"))).toEqual([400, "validation_error"]);
    await vi.waitFor(async () => expect(await names("status=disconnected")).toHaveLength(3));
    expect(await names("status=connected")).toEqual([]);
  });
});

describe("changing an instance", () => {
  it("replaces name and metadata, and adds settings to those set before", async () => {
    const { call } = await holder();
    const { id, settings } = await instanceOf(call, { settings: { ignore_groups: true } });
    const changed = await call("PATCH", `/instances/${id}`, { name: "Nova", metadata: { a: "1" }, settings: { download_media: false } });
    expect(changed.body.data).toMatchObject({ name: "Nova", metadata: { a: "1" }, settings: { ...settings, download_media: false } });
    expect((await call("PATCH", `/instances/${id}`, { metadata: {} })).body.data).toMatchObject({ name: "Nova", metadata: {} });
    expect(codeOf(await call("PATCH", `/instances/${id}`, {}))).toEqual([400, "validation_error"]);
    const paced = await call("PATCH", `/instances/${id}`, { settings: { pacing: { reply_only: true } } });
    expect(paced.body.data.settings.pacing).toEqual({
      min_gap_ms: 0,
      new_chats_per_hour: null,
      reply_only: true,
      first_contacts: "send",
    });
    expect(codeOf(await call("PATCH", `/instances/${id}`, { kind: "cloud_api" }))).toEqual([400, "validation_error"]);
  });

  it("keeps each setting when several are changed at once", async () => {
    const { call } = await holder();
    const { id, settings } = await instanceOf(call, { settings: { device_name: "Balcão", pacing: { min_gap_ms: 100 } } });
    const changes = [
      { ignore_groups: true },
      { ignore_channels: true },
      { download_media: false },
      { message_retention_days: 30 },
      { pacing: { reply_only: true } },
      { pacing: { first_contacts: "hold" } },
      { alerts: { restricted: true } },
      { alerts: { stopped: false } },
    ];
    const answers = await Promise.all(changes.map((change) => call("PATCH", `/instances/${id}`, { settings: change })));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    const expected = {
      ...settings,
      ignore_groups: true,
      ignore_channels: true,
      download_media: false,
      message_retention_days: 30,
      pacing: { ...settings.pacing, reply_only: true, first_contacts: "hold" },
      alerts: { ...settings.alerts, restricted: true, stopped: false },
    };
    expect((await call("GET", `/instances/${id}`)).body.data.settings).toEqual(expected);
    const forgotten = await call("PATCH", `/instances/${id}`, { settings: { message_retention_days: null } });
    expect(forgotten.body.data.settings).toEqual({ ...expected, message_retention_days: null });
  });

  it("reaches a running session at once, and every later one", async () => {
    const { call } = await holder();
    const { id } = await instanceOf(call, { settings: { ignore_groups: true } });
    const session = await sessionOf(call, id);
    expect(session.settings).toMatchObject({ ignore_groups: true, ignore_channels: false, device_name: "Gateway" });
    await call("PATCH", `/instances/${id}`, { settings: { ignore_channels: true } });
    expect((await session.frames.next("settings")).settings).toMatchObject({ ignore_groups: true, ignore_channels: true });
    await call("POST", `/instances/${id}/disconnect`);
  });
});

describe("the session", () => {
  it("shows its QR only while there is one", async () => {
    const { call } = await holder();
    const { id } = await instanceOf(call);
    expect(codeOf(await call("GET", `/instances/${id}/qr`))).toEqual([409, "qr_not_available"]);
    const session = await sessionOf(call, id);
    await session.commit([event.qr()]);
    const qr = await call("GET", `/instances/${id}/qr`);
    expect(Object.keys(qr.body)).toEqual(["qr", "raw"]);
    expect([qr.body.raw, qr.headers.get("cache-control")]).toEqual(["2@qr-1", "no-store"]);
    expect(qr.body.qr).toMatch(/^data:image\/png;base64,/);
    const status = (await call("GET", `/instances/${id}/status`)).body.data;
    expect(status).toMatchObject({ status: "scan_qr", status_reason: "waiting_scan" });
    expect(Date.parse(status.qr_expires_at)).toBeGreaterThan(Date.now());
    await session.commit([event.open()]);
    expect(codeOf(await call("GET", `/instances/${id}/qr`))).toEqual([409, "qr_not_available"]);
    expect((await call("GET", `/instances/${id}`)).body.data).toMatchObject({
      status: "connected",
      phone_number: "5511900000001",
      profile_name: "Ana",
      platform: "android",
      is_business: false,
    });
    expect(codeOf(await call("POST", `/instances/${id}/pairing-code`, { phone_number: "5511900000001" }))).toEqual([
      409,
      "already_connected",
    ]);
    expect((await call("POST", `/instances/${id}/logout`)).body).toEqual({
      message: "The instance is logged out. The number has to be paired again.",
    });
    expect((await call("GET", `/instances/${id}/status`)).body.data).toMatchObject({ status: "disconnected", status_reason: "logged_out" });
  });

  it("is disconnected and restarted, with a sentence in the response", async () => {
    const { call } = await holder();
    const { id } = await instanceOf(call);
    expect((await call("POST", `/instances/${id}/restart`)).body).toEqual({ message: "The session is being restarted." });
    expect((await call("GET", `/instances/${id}/status`)).body.data).toMatchObject({ status: "connecting", status_reason: "resuming" });
    const ended = { message: "The instance is disconnected. The session data is kept." };
    expect((await call("POST", `/instances/${id}/disconnect`)).body).toEqual(ended);
    expect((await call("POST", `/instances/${id}/disconnect`)).body).toEqual(ended);
    expect(codeOf(await call("POST", `/instances/${id}/chats/5511900000002@c.us/seen`))[0]).toBeGreaterThanOrEqual(404);
  });

  it("cannot connect or send without a subscription, but everything else works", async () => {
    const { who, call } = await holder();
    const { id } = await instanceOf(call);
    const terms = { plan: "test", status: "canceled", maxInstances: 1, currentPeriodEnd: null } as const;
    await setSubscription(env as Env, who.user.id, terms, Date.now());
    for (const [path, body] of [
      ["connect", {}],
      ["restart", {}],
      ["messages/text", { to: "5511900000002", text: "x" }],
      ["channels/120363041234567891@newsletter/messages/text", { text: "x" }],
      ["status/text", { text: "x" }],
    ] as const)
      expect(codeOf(await call("POST", `/instances/${id}/${path}`, body))).toEqual([402, "subscription_required"]);
    expect((await call("GET", `/instances/${id}`)).status).toBe(200);
    expect((await call("GET", `/instances/${id}/chats`)).status).toBe(200);
    expect((await call("POST", `/instances/${id}/disconnect`)).status).toBe(200);
  });

  it("shows capabilities and health", async () => {
    const { call } = await holder();
    const { id } = await instanceOf(call);
    const { data } = (await call("GET", `/instances/${id}/capabilities`)).body;
    expect(data).toMatchObject({ kind: "session", is_business: null, features: { "chats.messages": true, "chats.seen": true } });
    expect(data.routes).toContainEqual({
      method: "GET",
      path: "/api/instances/{instanceId}/qr",
      supported: true,
      reason: null,
      unsupported_fields: [],
    });
    expect((await call("GET", `/instances/${id}/health`)).body.data).toMatchObject({ restriction: null, sends_24h: 0, proxy: null });
  });
});

describe("deleting an instance", () => {
  it("removes it with its own webhooks", async () => {
    const { call } = await holder();
    const [gone, stays] = [await instanceOf(call), await instanceOf(call)];
    const events = ["message.received"];
    const url = "https://hooks.example.com/";
    await call("POST", "/webhooks", { url, events, instance_id: gone.id });
    const everywhere = (await call("POST", "/webhooks", { url, events })).body.data;
    expect((await call("DELETE", `/instances/${gone.id}`)).body).toEqual({ message: "The instance is deleted." });
    expect(codeOf(await call("GET", `/instances/${gone.id}`))).toEqual([404, "instance_not_found"]);
    expect((await call("GET", "/instances")).body.data.map((each: { id: string }) => each.id)).toEqual([stays.id]);
    expect((await call("GET", "/webhooks")).body.data.map((each: { id: string }) => each.id)).toEqual([everywhere.id]);
    expect(codeOf(await call("DELETE", `/instances/${gone.id}`))).toEqual([404, "instance_not_found"]);
  });
});
