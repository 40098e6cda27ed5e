// The lifecycle of a Cloud API number: connect, verify credentials, replace them, disconnect.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { changeCloudCredentials, changeConnection } from "#root/src/services/connections/change.ts";
import { type ConnectionStub, connectionStub } from "#root/src/services/connections/stub.ts";
import { databaseOf } from "#root/src/db/database.ts";
import { connection } from "#root/src/db/schema.ts";
import { eq } from "drizzle-orm";
import type { ConnectionRecord } from "@gateway/protocol/connection.ts";
import { lookUpRecord } from "#root/src/services/connections/record.ts";
import { type Calls, codeOf, holder, instanceOf } from "../support/accounts.ts";
import { type FakeGraph, fakeGraph } from "./fake-graph.ts";
import { ringAlarm } from "../support/eviction.ts";

let graph: FakeGraph;
beforeEach(() => {
  graph = fakeGraph();
});
afterEach(() => {
  graph.restore();
  vi.useRealTimers();
});

const cloud = (change: Record<string, unknown> = {}, body: Record<string, unknown> = {}) => ({
  name: "Loja",
  kind: "cloud_api",
  cloud_api: { ...graph.credentials(), ...change },
  ...body,
});

const addressOf = (id: string) => `https://app.example.com/api/cloud/webhook/${id}`;
const statusOf = async (call: Calls, id: string) => {
  const { status, status_reason } = (await call("GET", `/instances/${id}`)).body.data;
  return `${status}/${status_reason}`;
};
const rowsOf = async (number: string) =>
  (await env.DB.prepare("SELECT uuid FROM connection WHERE cloud_phone_number_id = ?").bind(number).all()).results.length;
describe("connecting a number", () => {
  it("verifies the credentials step by step, then connects", async () => {
    const { call } = await holder();
    const made = await call("POST", "/instances", cloud({ pin: graph.pin }));
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({
      kind: "cloud_api",
      status: "connected",
      status_reason: "ok",
      phone_number: "5511900000001",
      profile_name: "Loja",
      is_business: true,
      cloud_api: { phone_number_id: graph.number, waba_id: graph.waba, access_token_last4: graph.token.slice(-4) },
    });
    expect(graph.asked).toEqual([
      "GET /number",
      "GET /waba/phone_numbers",
      "POST /number/register",
      "GET /waba/subscribed_apps",
      "POST /waba/subscribed_apps",
      "GET /waba/subscribed_apps",
      "GET /app/subscriptions",
      "POST /number",
    ]);
    expect(graph.callback).toBe(addressOf(made.body.data.id));
    expect(graph.verifyToken).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(made.body)).not.toContain(graph.token);
  });

  it.each([
    ["another token", { access_token: "EAA-other" }, null, { step: "number", network_code: 190 }],
    ["another secret", { app_secret: "other" }, null, { step: "number", network_code: 190 }],
    [
      "a business account that does not have the number",
      {},
      () => (graph.numbers = () => ["5"]),
      { step: "subscribe", network_code: null },
    ],
    ["a wrong PIN", { pin: "000000" }, null, { step: "register", network_code: 133005 }],
    ["an app that does not hear of messages", {}, () => (graph.fields = ["calls"]), { step: "fields", network_code: null }],
    [
      "an address that does not answer Meta",
      {},
      () => (graph.onCallback = () => Promise.resolve(false)),
      { step: "callback", network_code: 2200 },
    ],
  ] as const)("is refused with %s, leaving nothing behind", async (_what, change, before, details) => {
    const { call } = await holder();
    before?.();
    const made = await call("POST", "/instances", cloud(change));
    expect(codeOf(made)).toEqual([400, "cloud_credentials_invalid"]);
    expect(made.body.error.details).toEqual(details);
    expect((await call("GET", "/instances")).body.data).toEqual([]);
    expect([await rowsOf(graph.number), graph.callback]).toEqual([0, ""]);
    // A second attempt is allowed.
    Object.assign(graph, { fields: ["messages"], onCallback: null, numbers: () => [graph.number] });
    expect((await call("POST", "/instances", cloud())).status).toBe(201);
  });

  it("accepts a pasted token and secret with a line end, and rejects a token with a line break inside", async () => {
    const { call } = await holder();
    const broken = await call("POST", "/instances", cloud({ access_token: `${graph.token}\n${graph.token}` }));
    expect([codeOf(broken), broken.body.error.details[0].field]).toEqual([[400, "validation_error"], "cloud_api.access_token"]);
    const spaced = { access_token: ` ${graph.token}\n`, app_secret: `${graph.secret} ` };
    const made = await call("POST", "/instances", cloud(spaced));
    expect([made.status, made.body.data.cloud_api.access_token_last4]).toEqual([201, graph.token.slice(-4)]);
  });

  it("reports that Graph does not respond, and leaves nothing behind", async () => {
    const { call } = await holder();
    for (const trouble of ["silence", 131_000, 80_007] as const) {
      graph.trouble = trouble;
      const made = await call("POST", "/instances", cloud());
      expect([codeOf(made), made.body.error.details]).toEqual([[503, "unavailable"], { step: "number" }]);
    }
    expect(await rowsOf(graph.number)).toBe(0);
  });

  it("accepts each number once", async () => {
    const { call } = await holder();
    const first = await call("POST", "/instances", cloud());
    expect(first.status).toBe(201);
    const { call: another } = await holder();
    const asked = graph.asked.length;
    const second = await another("POST", "/instances", cloud());
    expect(codeOf(second)).toEqual([400, "cloud_credentials_invalid"]);
    expect([second.body.error.details, graph.asked.slice(asked)]).toEqual([{ step: "in_use", network_code: null }, ["GET /number"]]);
    // Once it is deleted, another account may register the number.
    await call("DELETE", `/instances/${first.body.data.id}`);
    expect((await another("POST", "/instances", cloud())).status).toBe(201);
  });

  it.each([
    ["another token", { access_token: "EAA-other" }],
    ["another secret", { app_secret: "other" }],
  ] as const)("does not reveal to %s that another account has the number", async (_what, change) => {
    const probed = async () => {
      const { call } = await holder();
      const { status, body } = await call("POST", "/instances", cloud(change));
      return { status, error: body.error, left: (await call("GET", "/instances")).body.data };
    };
    const free = await probed();
    const { call } = await holder();
    const made = await call("POST", "/instances", cloud());
    expect(await probed()).toEqual(free);
    expect(free.error.details).toEqual({ step: "number", network_code: 190 });
    expect([await statusOf(call, made.body.data.id), graph.callback]).toEqual(["connected/ok", addressOf(made.body.data.id)]);
  });

  it("reports a full plan before anything about a number", async () => {
    const { call } = await holder(undefined, 1);
    const { call: another } = await holder();
    await instanceOf(call);
    const free = codeOf(await call("POST", "/instances", cloud()));
    await another("POST", "/instances", cloud());
    expect([free, codeOf(await call("POST", "/instances", cloud()))]).toEqual([free, [free[0], "instance_limit"]]);
  });

  it("only verifies the credentials if it should not connect yet, and does the rest later", async () => {
    const { call } = await holder();
    const made = await call("POST", "/instances", cloud({ pin: graph.pin }, { connect: false }));
    expect(made.body.data).toMatchObject({ status: "disconnected", status_reason: "created" });
    expect([graph.asked, graph.callback]).toEqual([["GET /number"], ""]);
    expect((await call("POST", `/instances/${made.body.data.id}/connect`)).status).toBe(200);
    expect(await statusOf(call, made.body.data.id)).toBe("connected/ok");
    expect(graph.asked.slice(1)).toContain("POST /number/register");
    expect(graph.callback).toBe(addressOf(made.body.data.id));
  });

  it("refuses settings without effect on it", async () => {
    const { call } = await holder();
    for (const [field, settings] of [
      ["always_online", { always_online: true }],
      ["sync_history", { sync_history: "full" }],
      ["device_name", { device_name: "Caixa" }],
    ] as const) {
      const made = await call("POST", "/instances", cloud({}, { settings }));
      expect([codeOf(made), made.body.error.details]).toEqual([[501, "not_supported"], { kind: "cloud_api", field }]);
    }
    expect(graph.asked).toEqual([]);
    const made = await call("POST", "/instances", cloud({}, { settings: { always_online: false, reject_calls: true } }));
    expect(made.status).toBe(201);
    const changed = await call("PATCH", `/instances/${made.body.data.id}`, { settings: { device_name: "Caixa" } });
    expect(codeOf(changed)).toEqual([501, "not_supported"]);
  });
});

describe("new credentials", () => {
  it("are accepted if Graph accepts them, and connect the number", async () => {
    const { call } = await holder();
    const { id } = (await call("POST", "/instances", cloud())).body.data;
    await call("POST", `/instances/${id}/disconnect`);
    expect(await statusOf(call, id)).toBe("disconnected/manual");
    graph.token = `${graph.token}-new1`;
    const changed = await call("PATCH", `/instances/${id}`, { cloud_api: graph.credentials() });
    expect(changed.body.data).toMatchObject({ status: "connected", cloud_api: { access_token_last4: "new1" } });
  });

  it("are shown as the object stored them last, although an earlier call ends later", async () => {
    const { call } = await holder();
    const { id } = (await call("POST", "/instances", cloud())).body.data;
    const [row] = await databaseOf(env.DB).select().from(connection).where(eq(connection.uuid, id));
    const [stored, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const change = async (bindings: Env, token: string) => {
      graph.token = token;
      const { phone_number_id: phoneNumberId, waba_id: wabaId, app_secret: appSecret } = graph.credentials();
      if (row === undefined) throw new Error("no row");
      const changed = await changeCloudCredentials(bindings, row, { phoneNumberId, wabaId, accessToken: token, appSecret, pin: null });
      if (!changed.ok) throw new Error(changed.failure.code);
      await changeConnection(bindings, row, changed.value, Date.now());
    };
    const object = connectionStub(env, id);
    const configureCloud: ConnectionStub["configureCloud"] = async (configuration) => {
      const outcome = await object.configureCloud(configuration);
      stored.resolve();
      await answered.promise;
      return outcome;
    };
    const slow = { configureCloud, configure: (record: ConnectionRecord) => object.configure(record) };
    const earlier = change({ ...env, CONNECTION: { getByName: () => slow } } as unknown as Env, "EAA-earlier-1111");
    await stored.promise;
    await change(env, "EAA-later-2222");
    answered.resolve();
    await earlier;
    expect((await call("GET", `/instances/${id}`)).body.data.cloud_api.access_token_last4).toBe("2222");
    expect((await call("POST", `/instances/${id}/restart`)).status).toBe(200);
  });

  it("change nothing when Graph refuses them", async () => {
    const { call } = await holder();
    const before = (await call("POST", "/instances", cloud())).body.data;
    const changed = await call("PATCH", `/instances/${before.id}`, { cloud_api: { ...graph.credentials(), access_token: "EAA-wrong" } });
    expect(codeOf(changed)).toEqual([400, "cloud_credentials_invalid"]);
    expect((await call("GET", `/instances/${before.id}`)).body.data).toEqual(before);
    expect((await call("POST", `/instances/${before.id}/restart`)).status).toBe(200);
  });

  it("leave the number connected if Graph refuses only the business account", async () => {
    const { call } = await holder();
    const before = (await call("POST", "/instances", cloud())).body.data;
    const changed = await call("PATCH", `/instances/${before.id}`, { cloud_api: { ...graph.credentials(), waba_id: "299999999999" } });
    expect([codeOf(changed), changed.body.error.details]).toEqual([
      [400, "cloud_credentials_invalid"],
      { step: "subscribe", network_code: 33 },
    ]);
    expect((await call("GET", `/instances/${before.id}`)).body.data).toEqual(before);
  });

  it("must be for the same number", async () => {
    const { call } = await holder();
    const { id } = (await call("POST", "/instances", cloud())).body.data;
    const changed = await call("PATCH", `/instances/${id}`, { cloud_api: { ...graph.credentials(), phone_number_id: "77" } });
    expect(codeOf(changed)).toEqual([400, "validation_error"]);
    const session = await instanceOf(call);
    const other = await call("PATCH", `/instances/${session.id}`, { cloud_api: graph.credentials() });
    expect(codeOf(other)).toEqual([501, "not_supported"]);
  });
});

describe("a connected number", () => {
  it("fails if Graph refuses it while connecting, and keeps its state while Graph is silent", async () => {
    const { call } = await holder();
    const { id } = (await call("POST", "/instances", cloud())).body.data;
    graph.trouble = "silence";
    expect(codeOf(await call("POST", `/instances/${id}/restart`))).toEqual([503, "unavailable"]);
    expect(await statusOf(call, id)).toBe("connected/ok");
    graph.trouble = 190;
    expect(codeOf(await call("POST", `/instances/${id}/restart`))).toEqual([400, "cloud_credentials_invalid"]);
    expect(await statusOf(call, id)).toBe("failed/cloud_token_invalid");
    graph.trouble = null;
    expect((await call("POST", `/instances/${id}/connect`)).status).toBe(200);
    expect(await statusOf(call, id)).toBe("connected/ok");
  });

  it("has no session: no bridge is requested, and it cannot be logged out", async () => {
    const { call } = await holder();
    const { id } = (await call("POST", "/instances", cloud())).body.data;
    const state = await runInDurableObject(env.CONNECTION.getByName(id), (_object, { storage }) => {
      const { state: stored } = storage.sql.exec<{ state: string }>("SELECT state FROM instance").one();
      return JSON.parse(stored) as { lease: { phase: string }; generation: number };
    });
    expect([state.lease, state.generation]).toEqual([{ phase: "none" }, 0]);
    for (const path of ["logout", "pairing-code"]) {
      const body = path === "logout" ? undefined : { phone_number: "5511900000001" };
      expect(codeOf(await call("POST", `/instances/${id}/${path}`, body))).toEqual([501, "not_supported"]);
    }
  });

  it("is held while its account is suspended, and then reconnects by itself", async () => {
    // The platform fires no alarm of this time, so the number reconnects only when the test rings.
    vi.useFakeTimers({ now: Date.UTC(2035, 0, 1), toFake: ["Date"] });
    const { call } = await holder();
    const { id } = (await call("POST", "/instances", cloud())).body.data;
    const stub = env.CONNECTION.getByName(id);
    const suspend = async (active: boolean) => {
      const record = await lookUpRecord(env as Env, id);
      if (record === null) throw new Error("no record");
      await stub.configure({ ...record, owner_suspended: active });
    };
    await suspend(true);
    expect(await statusOf(call, id)).toBe("disconnected/account_suspended");
    graph.trouble = "silence";
    await suspend(false);
    await ringAlarm(stub);
    expect(await statusOf(call, id)).toBe("disconnected/manual");
    graph.trouble = null;
    await suspend(true);
    await suspend(false);
    expect(await statusOf(call, id)).toBe("disconnected/manual");
    // The attempt before may have postponed the next one.
    vi.setSystemTime(Date.now() + 5 * MINUTE_MS);
    await ringAlarm(stub);
    // Its state as stored, because a cached read stays the same while the clock stands still.
    const stored = () =>
      runInDurableObject(stub, (_object, { storage }) => storage.sql.exec<{ state: string }>("SELECT state FROM instance").one().state);
    await vi.waitFor(async () => expect(JSON.parse(await stored())).toMatchObject({ status: "connected" }));
  });

  it("shows Meta's rating in its health", async () => {
    const { call } = await holder();
    graph.quality = "YELLOW";
    const { id } = (await call("POST", "/instances", cloud())).body.data;
    const health = (await call("GET", `/instances/${id}/health`)).body.data;
    expect(health).toMatchObject({ quality_rating: "YELLOW", score: 85, level: "ok", new_chat_quota: null });
    expect(health.checked_at).not.toBeNull();
  });
});

describe("disconnecting", () => {
  it("removes the address and the subscription, unless another number of the business account remains", async () => {
    const { call } = await holder();
    const { id } = (await call("POST", "/instances", cloud())).body.data;
    await env.DB.prepare("UPDATE connection SET cloud_waba_id = ? WHERE uuid = ?")
      .bind(graph.waba, (await instanceOf(call)).id)
      .run();
    expect((await call("DELETE", `/instances/${id}`)).status).toBe(200);
    expect([graph.callback, graph.subscribed, await rowsOf(graph.number)]).toEqual(["", [graph.app], 0]);
    const { id: last } = (await call("POST", "/instances", cloud())).body.data;
    await env.DB.prepare("UPDATE connection SET cloud_waba_id = NULL WHERE cloud_phone_number_id IS NULL").run();
    await call("DELETE", `/instances/${last}`);
    expect([graph.callback, graph.subscribed]).toEqual(["", []]);
  });

  it("leaves a foreign address alone, and continues without a response", async () => {
    const { call } = await holder();
    const { id } = (await call("POST", "/instances", cloud())).body.data;
    graph.callback = "https://elsewhere.example.com/webhook";
    await call("DELETE", `/instances/${id}`);
    expect(graph.callback).toBe("https://elsewhere.example.com/webhook");
    const { id: second } = (await call("POST", "/instances", cloud())).body.data;
    graph.trouble = "silence";
    expect((await call("DELETE", `/instances/${second}`)).status).toBe(200);
    expect(await rowsOf(graph.number)).toBe(0);
  });
});
