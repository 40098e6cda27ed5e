import { DEFAULT_ASSISTANT_POLICY } from "@gateway/protocol/assistant.ts";
import { describe, expect, it } from "vitest";
import { DASHBOARD_ROUTES } from "#root/src/api/dashboard.ts";
import type { Call, CallResult } from "@gateway/protocol/connection.ts";
import { env } from "cloudflare:workers";
import { keyHash, parseKey } from "@gateway/domain/keys/api-key.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { type EnglishError, gateway, instanceOf, scriptedConnections } from "../support/gateway.ts";
import { someone } from "../support/people.ts";

/** A user with one connection, whose object responds from the script. */
async function withConnection(script: (call: Call) => CallResult) {
  const owner = await someone();
  const objects = scriptedConnections((call) =>
    call.operation === "instance.get" ? { ok: false, failure: { code: "unavailable" } } : script(call),
  );
  const ask = gateway(objects);
  const made = await ask("/api/dashboard/connections", { method: "POST", headers: owner.headers, body: '{"name":"Loja"}' });
  const { data } = (await made.json()) as { data: { id: number; instance_id: string } };
  const request = (method: string, path: string, body?: unknown) =>
    ask(`/api/dashboard/connections/${data.id}${path}`, {
      method,
      headers: owner.headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { ...objects, owner, connection: data, request };
}

const found = (value: unknown): CallResult => ({ ok: true, json: JSON.stringify(value) });
const webhook = {
  url: "https://a.example/x",
  events: ["message.received"],
  status: "active",
  disabled_at: null,
  last_success_at: null,
  created_at: 1_700_000_000_000,
  failing_since: null,
  disables_at: 1_700_000_000_000,
  previous_secret_until: null,
  can_reactivate: false,
  new_events: ["call"],
};

describe("controls", () => {
  it("are sent to the object and answered with a sentence", async () => {
    const { request, calls } = await withConnection(() => found({}));
    for (const verb of ["connect", "disconnect", "restart", "logout"]) {
      const answer = await request("POST", `/${verb}`);
      expect([verb, answer.status, typeof ((await answer.json()) as { message: string }).message]).toEqual([verb, 200, "string"]);
    }
    expect(calls.filter((call) => call.operation !== "instance.get").map((call) => [call.operation, call.flags.mutating])).toEqual([
      ["instance.connect", true],
      ["instance.disconnect", true],
      ["instance.restart", true],
      ["instance.logout", true],
    ]);
  });

  it("show the QR and a pairing code", async () => {
    const { request } = await withConnection((call) =>
      call.operation === "instance.qr"
        ? found({ raw: "2@x", expires_at: 1_700_000_000 })
        : found({ code: "ABCDEFGH", phone: "5511900000001", expires_at: 1_700_000_000 }),
    );
    const qr = (await (await request("GET", "/qr")).json()) as { data: { qr: string } };
    expect(qr.data).toMatchObject({ raw: "2@x", expires_at: "2023-11-14T22:13:20.000Z" });
    expect(qr.data.qr).toMatch(/^data:image\/png;base64,/);
    const code = await request("POST", "/pairing-code", { phone_number: "5511900000001" });
    expect(await code.json()).toEqual({
      data: { code: "ABCD-EFGH", phone_number: "5511900000001", expires_at: "2023-11-14T22:13:20.000Z" },
    });
  });
});

describe("a key", () => {
  it("is shown once, names its connection, and only its hash reaches the object", async () => {
    const { request, calls, connection } = await withConnection((call) => {
      const { name, prefix } = JSON.parse(call.input) as { name: string; prefix: string };
      return found({ id: "k1", name, prefix, created_at: 1_700_000_000_000, last_used_at: null });
    });
    const answer = await request("POST", "/keys", { name: "Sistema" });
    const { data } = (await answer.json()) as { data: { key: string; prefix: string } };
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([201, "no-store"]);
    expect(data).toMatchObject({ id: "k1", name: "Sistema", created_at: "2023-11-14T22:13:20.000Z" });
    expect(data.key).toMatch(/^svc_[0-9A-Za-z]{43,}$/);
    expect(data.key.startsWith(data.prefix)).toBe(true);
    expect(parseKey(settingsOf(env as Env).KEY_SECRET, data.key)).toEqual({ connection: connection.instance_id, kid: 1 });
    const call = calls.find((asked) => asked.operation === "keys.create");
    expect(JSON.parse(call?.input ?? "{}")).toEqual({ name: "Sistema", prefix: data.prefix, hash: keyHash(data.key) });
  });

  it("has a name of 1 to 60 characters, and there are three at most", async () => {
    const { request } = await withConnection(() => ({ ok: false, failure: { code: "key_limit" } }));
    for (const bad of [{}, { name: " " }, { name: "a".repeat(61) }]) expect((await request("POST", "/keys", bad)).status).toBe(400);
    const refused = await request("POST", "/keys", { name: "😀".repeat(60) });
    expect([refused.status, ((await refused.json()) as EnglishError).error.code]).toEqual([409, "key_limit"]);
  });

  it("is listed without its value, and revoked by its id", async () => {
    const { request, calls } = await withConnection((call) =>
      call.operation === "keys.list"
        ? found({ items: [{ id: "k1", name: "A", prefix: "svc_abc", created_at: 1_700_000_000_000, last_used_at: null }] })
        : found({}),
    );
    expect(await (await request("GET", "/keys")).json()).toEqual({
      data: [
        {
          id: "k1",
          name: "A",
          prefix: "svc_abc",
          scopes: ["read", "send", "manage"],
          allowed_ips: null,
          refused_ip: null,
          refused_at: null,
          assistant: DEFAULT_ASSISTANT_POLICY,
          created_at: "2023-11-14T22:13:20.000Z",
          last_used_at: null,
        },
      ],
    });
    expect((await request("DELETE", "/keys/k1")).status).toBe(200);
    expect(JSON.parse(calls.at(-1)?.input ?? "")).toEqual({ id: "k1" });
  });
});

describe("the webhook", () => {
  const shown = { ...webhook, created_at: "2023-11-14T22:13:20.000Z", disables_at: "2023-11-14T22:13:20.000Z" };

  it("shows its secret with 201 when it is new, and neither afterwards", async () => {
    let secret: string | null = "whsec_abc";
    const { request, calls } = await withConnection(() => found({ ...webhook, created: secret !== null, secret }));
    const made = await request("PUT", "/webhook", { url: "https://a.example/x" });
    expect([made.status, await made.json()]).toEqual([201, { data: { ...shown, secret } }]);
    expect(JSON.parse(calls.at(-1)?.input ?? "")).toEqual({ url: "https://a.example/x", events: null });
    secret = null;
    const changed = await request("PUT", "/webhook", { url: "https://a.example/x", events: ["call"] });
    expect([changed.status, await changed.json()]).toEqual([200, { data: shown }]);
  });

  it("is null while there is none, but another failure is reported", async () => {
    let code: FailureCode = "webhook_not_found";
    const { request } = await withConnection(() => ({ ok: false, failure: { code } }));
    const none = await request("GET", "/webhook");
    expect([none.status, await none.json()]).toEqual([200, { data: null }]);
    code = "unavailable";
    expect((await request("GET", "/webhook")).status).toBe(503);
  });

  it("is tested, rotated and reactivated", async () => {
    const test = {
      http_status: 204,
      latency_ms: 12,
      error: null,
      request: { headers: { "webhook-id": "msg_1" }, body: "{}" },
      response: { headers: {}, body: "" },
    };
    const { request } = await withConnection((call) => {
      if (call.operation === "webhook.test") return found(test);
      if (call.operation === "webhook.rotate") return found({ secret: "whsec_new" });
      return { ok: false, failure: { code: "test_first" } };
    });
    expect(await (await request("POST", "/webhook/test")).json()).toEqual({ data: test });
    expect(await (await request("POST", "/webhook/rotate")).json()).toEqual({ data: { secret: "whsec_new" } });
    const refused = await request("POST", "/webhook/reactivate");
    expect([refused.status, ((await refused.json()) as EnglishError).error.code]).toEqual([409, "test_first"]);
  });

  it("shows its deliveries, one of them whole, and resends", async () => {
    const delivery = {
      id: "msg_1",
      event: "call",
      status: "failed",
      http_status: 500,
      attempts: 8,
      created_at: 1_700_000_000_000,
      delivered_at: null,
      next_attempt_at: null,
      last_error: "x",
    };
    const { request, calls } = await withConnection((call) => {
      if (call.operation === "webhook.deliveries") return found({ items: [{ ...delivery, place: 7 }], more: true });
      if (call.operation === "webhook.delivery")
        return found({
          ...delivery,
          request_body: "{}",
          attempt_log: [{ at: 1_700_000_000_000, http_status: 500, latency_ms: 3, error: "x" }],
        });
      return call.operation === "webhook.resend_failed" ? found({ count: 3 }) : found({});
    });
    const shown = { ...delivery, created_at: "2023-11-14T22:13:20.000Z" };
    expect(await (await request("GET", "/webhook/deliveries")).json()).toEqual({ data: [shown], next_cursor: "7" });
    expect(JSON.parse(calls.at(-1)?.input ?? "")).toEqual({ limit: 20, status: null, event: null, before: null });
    await request("GET", "/webhook/deliveries?status=failed&event=call&cursor=7&limit=3");
    expect(JSON.parse(calls.at(-1)?.input ?? "")).toEqual({ limit: 3, status: ["failed"], event: "call", before: { place: 7 } });
    expect((await request("GET", "/webhook/deliveries?status=lost")).status).toBe(400);
    const attempt_log = [{ at: "2023-11-14T22:13:20.000Z", http_status: 500, latency_ms: 3, error: "x" }];
    expect(await (await request("GET", "/deliveries/msg_1")).json()).toEqual({ data: { ...shown, request_body: "{}", attempt_log } });
    expect((await request("POST", "/deliveries/msg_1/resend")).status).toBe(200);
    expect(JSON.parse(calls.at(-1)?.input ?? "")).toEqual({ id: "msg_1" });
    expect(await (await request("POST", "/webhook/resend", { since: "2023-11-14T22:13:20Z" })).json()).toEqual({ data: { count: 3 } });
    expect(JSON.parse(calls.at(-1)?.input ?? "")).toEqual({ since: 1_700_000_000_000 });
  });
});

describe("every route", () => {
  it("answers 401 without credentials", async () => {
    const ask = gateway(scriptedConnections(() => found(instanceOf({ id: 1, uuid: "u", owner_id: "o", name: "n", kind: "session" }))));
    const guarded = DASHBOARD_ROUTES.filter(({ access }) => access !== "public").map(({ name }) => name);
    for (const name of [...guarded, "GET /nothing"]) {
      const [method = "", path = ""] = name.split(" ");
      const url = `/api/dashboard${path.replaceAll(/\{\w+\}/g, "1")}`;
      for (const headers of [
        {},
        { authorization: "Bearer x.y.z" },
        { authorization: "Basic x" },
        { cookie: "gateway.session_token=forged.abc", origin: "https://app.example.com" },
      ]) {
        const answer = await ask(url, { method, headers: headers as Record<string, string> });
        expect([method, path, answer.status]).toEqual([method, path, 401]);
        expect(((await answer.json()) as EnglishError).error.code).toBe("unauthorized");
      }
    }
  });

  it("answers 404 to a signed-in user if it does not exist", async () => {
    const { headers } = await someone();
    const answer = await gateway()("/api/dashboard/nothing", { headers });
    const body = (await answer.json()) as EnglishError;
    expect([answer.status, body.error.code, body.request_id]).toEqual([404, "route_not_found", answer.headers.get("x-request-id")]);
  });

  it("answers 405 with Allow to a signed-in user for a wrong method, and 401 to anybody else", async () => {
    const { headers } = await someone();
    const ask = gateway();
    const answer = await ask("/api/dashboard/connections", { method: "PUT", headers });
    expect([answer.status, ((await answer.json()) as EnglishError).error.code]).toEqual([405, "method_not_allowed"]);
    expect(answer.headers.get("allow")?.split(", ").toSorted()).toEqual(["GET", "POST"]);
    expect((await ask("/api/dashboard/connections", { method: "PUT" })).status).toBe(401);
  });
});
