// Webhook endpoints: what may be registered, how endpoints change, and that objects are notified before the response.
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { databaseOf } from "#root/src/db/database.ts";
import { endpointSet } from "#root/src/db/schema.ts";
import type { Env } from "#root/src/env.ts";
import { pushPendingEndpoints } from "#root/src/services/account-webhooks/push.ts";
import { callsWith, codeOf, holder, instanceOf } from "../support/accounts.ts";
import { failingDatabase, PASSING_ERRORS } from "../support/failing-database.ts";
import { gateway, instanceOf as recordOf, type ScriptedConnections, scriptedConnections } from "../support/gateway.ts";

const EVENTS = ["message.received"];
const URL = "https://hooks.example.com/a";

/** Objects that record calls and accept everything. */
function listeningObjects(): ScriptedConnections {
  const objects: ScriptedConnections = scriptedConnections((call) => {
    const record = objects.records.findLast(({ uuid }) => uuid === objects.names.at(-1));
    return { ok: true, json: call.operation === "instance.get" && record !== undefined ? JSON.stringify(recordOf(record)) : "{}" };
  });
  return objects;
}

const fieldsOf = (body: { error: { details: { field: string }[] } }) => body.error.details.map(({ field }) => field);

describe("registering an endpoint", () => {
  it("answers 201 with the whole endpoint, defaults filled in", async () => {
    const { who, call } = await holder();
    const made = await call("POST", "/webhooks", { url: URL, events: EVENTS });
    expect(made.status).toBe(201);
    expect(made.body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      user_id: who.user.id,
      url: URL,
      events: EVENTS,
      secret: null,
      description: null,
      instance_id: null,
      headers: {},
      retry_count: 3,
      timeout_ms: 5000,
      is_active: true,
      created_at: expect.any(String),
      updated_at: made.body.data.created_at,
    });
    expect((await call("GET", `/webhooks/${made.body.data.id}`)).body).toEqual(made.body);
    expect((await call("GET", "/webhooks")).body).toEqual({ data: [made.body.data] });
  });

  it("accepts every documented field, and nothing else", async () => {
    const { call } = await holder();
    const all = {
      url: URL,
      events: ["message.received", "group.left", "message.received"],
      secret: "segredo",
      description: "CRM",
      instance_id: null,
      headers: { "X-Env": "prod", "X-Number": 7, "X-Object": { a: 1 } },
      retry_count: 0,
      timeout_ms: 30_000,
    };
    expect((await call("POST", "/webhooks", all)).body.data).toMatchObject({
      events: ["message.received", "group.left"],
      secret: "segredo",
      description: "CRM",
      headers: { "X-Env": "prod", "X-Number": "7", "X-Object": '{"a":1}' },
      retry_count: 0,
      timeout_ms: 30_000,
    });
    for (const [change, field] of [
      [{ url: undefined }, "url"],
      [{ events: undefined }, "events"],
      [{ events: [] }, "events"],
      [{ events: ["presence"] }, "events.0"],
      [{ events: ["webhook.test"] }, "events.0"],
      [{ retry_count: 6 }, "retry_count"],
      [{ retry_count: 1.5 }, "retry_count"],
      [{ timeout_ms: 999 }, "timeout_ms"],
      [{ timeout_ms: 30_001 }, "timeout_ms"],
      [{ instance_id: "x" }, "instance_id"],
      [{ is_active: false }, "is_active"],
      [{ headers: { Host: "x" } }, "headers.Host"],
      [{ headers: { "X-Service-Signature": "x" } }, "headers.X-Service-Signature"],
      [{ headers: { "X-A": "a\nb" } }, "headers.X-A"],
    ] as const) {
      const refused = await call("POST", "/webhooks", { ...all, ...change });
      expect([codeOf(refused), fieldsOf(refused.body)]).toEqual([[400, "validation_error"], [field]]);
    }
  });

  it("refuses destinations that are not public https, with one text", async () => {
    const { call } = await holder();
    const urls = [
      "http://hooks.example.com/",
      "https://localhost/",
      "https://10.0.0.1/",
      "https://[::1]/",
      "https://app.example.com/",
      "ftp://x.example.com/",
      "https://u:p@x.example.com/",
    ];
    const answers = await Promise.all(urls.map((url) => call("POST", "/webhooks", { url, events: EVENTS })));
    expect(answers.map(codeOf)).toEqual(urls.map(() => [422, "url_not_allowed"]));
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1);
    expect((await call("GET", "/webhooks")).body.data).toEqual([]);
  });

  it("is limited to twenty, also for concurrent requests, and a refused one leaves nothing to push", async () => {
    const { who, call } = await holder();
    const answers = await Promise.all(Array.from({ length: 24 }, () => call("POST", "/webhooks", { url: URL, events: EVENTS })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 409).map(({ body }) => body.error.code)).toEqual(
      Array.from({ length: 4 }, () => "webhook_limit"),
    );
    const [revisions] = await databaseOf(env.DB).select().from(endpointSet).where(eq(endpointSet.userId, who.user.id));
    expect(revisions?.pushedRevision).toBe(revisions?.revision);
  });

  it("answers a creation and a change with the secret, although D1 fails once they are stored", async () => {
    let isStored = false;
    const fault = (sql: string) => {
      const isLookup = /from "account_webhook" where .* limit/.test(sql);
      if (/(insert into|update) "account_webhook"/.test(sql)) isStored = true;
      return isStored && isLookup ? { message: PASSING_ERRORS[0] } : null;
    };
    const { call } = await holder(gateway({ DB: failingDatabase(env.DB, fault) }));
    const made = await call("POST", "/webhooks", { url: URL, events: EVENTS, secret: "topsecret" });
    expect([made.status, made.body.data?.secret]).toEqual([201, "topsecret"]);
    for (const [change, secret] of [
      [{ description: "CRM" }, "topsecret"],
      [{ secret: null }, null],
    ] as const) {
      isStored = false;
      const changed = await call("PATCH", `/webhooks/${made.body.data.id}`, change);
      expect([changed.status, changed.body.data?.secret]).toEqual([200, secret]);
    }
  });

  it("stores no secret in plain text, and shows it only with the scope manage", async () => {
    const { who, call, withScopes } = await holder();
    const once = { "idempotency-key": "hook" };
    const wanted = { url: URL, events: EVENTS, secret: "topsecret", headers: { "X-Token": "credential" } };
    const made = await call("POST", "/webhooks", wanted, once);
    const row = await env.DB.prepare("SELECT * FROM account_webhook WHERE user_id = ?").bind(who.user.id).first();
    expect(JSON.stringify(row)).not.toContain("topsecret");
    const again = await call("POST", "/webhooks", wanted, once);
    expect([again.headers.get("idempotent-replayed"), again.body]).toEqual(["true", made.body]);
    expect(made.body.data.secret).toBe("topsecret");
    const seen = (await (await withScopes("read"))("GET", "/webhooks")).body.data;
    expect(seen).toHaveLength(1);
    expect(Object.keys(seen[0])).not.toEqual(expect.arrayContaining(["secret", "headers"]));
  });
});

describe("changing an endpoint", () => {
  it("changes the given fields only", async () => {
    const { call } = await holder();
    const { id, ...made } = (await call("POST", "/webhooks", { url: URL, events: EVENTS, secret: "a", description: "x" })).body.data;
    const patched = await call("PATCH", `/webhooks/${id}`, { is_active: false, retry_count: 5 });
    expect(patched.body.data).toMatchObject({ ...made, is_active: false, retry_count: 5, updated_at: expect.any(String) });
    expect((await call("PATCH", `/webhooks/${id}`, { secret: null, description: null, headers: null })).body.data).toMatchObject({
      secret: null,
      description: null,
      headers: {},
      url: URL,
    });
    expect(codeOf(await call("PATCH", `/webhooks/${id}`, {}))).toEqual([400, "validation_error"]);
    expect(codeOf(await call("PATCH", `/webhooks/${id}`, { id: "x" }))).toEqual([400, "validation_error"]);
    expect(codeOf(await call("PATCH", `/webhooks/${id}`, { url: "https://127.0.0.1/" }))).toEqual([422, "url_not_allowed"]);
    expect((await call("DELETE", `/webhooks/${id}`)).body).toEqual({ message: "The webhook is deleted." });
    for (const method of ["GET", "DELETE"]) expect(codeOf(await call(method, `/webhooks/${id}`))).toEqual([404, "webhook_not_found"]);
  });
});

describe("the objects of the account", () => {
  const last = (objects: ScriptedConnections, name: string) => objects.endpointPushes.findLast((each) => each.name === name);

  it("get their endpoints before the response, with increasing revisions", async () => {
    const objects = listeningObjects();
    const { call } = await holder(gateway(objects));
    const [one, two] = [await instanceOf(call), await instanceOf(call)];
    const everywhere = (await call("POST", "/webhooks", { url: URL, events: EVENTS, secret: "s", headers: { "X-A": 1 } })).body.data;
    for (const { id } of [one, two]) {
      expect(last(objects, id)).toMatchObject({
        revision: expect.any(Number),
        endpoints: [
          {
            id: everywhere.id,
            url: URL,
            events: EVENTS,
            secret: "s",
            headers: { "X-A": "1" },
            retry_count: 3,
            timeout_ms: 5000,
            is_active: true,
          },
        ],
      });
    }
    const first = last(objects, two.id)?.revision ?? 0;
    const scoped = (await call("POST", "/webhooks", { url: URL, events: EVENTS, instance_id: one.id })).body.data;
    expect(
      last(objects, one.id)
        ?.endpoints.map(({ id }) => id)
        .toSorted(),
    ).toEqual([everywhere.id, scoped.id].toSorted((a: string, b: string) => a.localeCompare(b)));
    expect(last(objects, two.id)?.revision).toBe(first);

    await call("PATCH", `/webhooks/${scoped.id}`, { instance_id: two.id });
    expect([one, two].map(({ id }) => last(objects, id)?.endpoints.length)).toEqual([1, 2]);
    await call("PATCH", `/webhooks/${everywhere.id}`, { is_active: false });
    expect(last(objects, one.id)).toMatchObject({ endpoints: [{ is_active: false }] });
    await call("DELETE", `/webhooks/${everywhere.id}`);
    expect(last(objects, one.id)).toMatchObject({ endpoints: [] });
    const revisions = objects.endpointPushes.filter(({ name }) => name === one.id).map(({ revision }) => revision);
    expect(revisions).toEqual([...new Set(revisions)].toSorted((a, b) => a - b));
  });

  it("get a newer revision than they have from the first change after D1 was restored", async () => {
    const objects = listeningObjects();
    const { who, call } = await holder(gateway(objects));
    const { id } = await instanceOf(call);
    const hook = (await call("POST", "/webhooks", { url: URL, events: EVENTS })).body.data;
    const pushed = () => env.DB.prepare("SELECT revision, told_revision FROM endpoint_set WHERE user_id = ?").bind(who.user.id);
    const restored = await pushed().first<{ revision: number; told_revision: number }>();
    for (const is_active of [false, true]) await call("PATCH", `/webhooks/${hook.id}`, { is_active });
    const known = last(objects, id)?.revision ?? 0;
    const restore = env.DB.prepare("UPDATE endpoint_set SET revision = ?, told_revision = ? WHERE user_id = ?");
    await restore.bind(restored?.revision, restored?.told_revision, who.user.id).run();
    await call("PATCH", `/webhooks/${hook.id}`, { instance_id: id });
    const after = last(objects, id)?.revision ?? 0;
    expect(after).toBeGreaterThan(known);
    expect(await pushed().first()).toEqual({ revision: after, told_revision: after });
  });

  it("get the account's endpoints when they are created", async () => {
    const objects = listeningObjects();
    const { call } = await holder(gateway(objects));
    const hook = (await call("POST", "/webhooks", { url: URL, events: EVENTS })).body.data;
    const { id } = await instanceOf(call);
    expect(last(objects, id)?.endpoints.map((endpoint) => endpoint.id)).toEqual([hook.id]);
  });

  it("get missed endpoint changes from the watchdog", async () => {
    const objects = listeningObjects();
    const { who, call } = await holder(gateway(objects));
    const { id } = await instanceOf(call);
    const hook = (await call("POST", "/webhooks", { url: URL, events: EVENTS })).body.data;
    const deaf = {
      getByName: () => ({ accountEndpointsChanged: () => Promise.reject(Object.assign(new Error("moved"), { retryable: true })) }),
    };
    const mute = callsWith({ authorization: `Bearer ${who.token}` }, gateway({ CONNECTION: deaf as unknown as Env["CONNECTION"] }));
    expect(codeOf(await mute("PATCH", `/webhooks/${hook.id}`, { is_active: false }))).toEqual([503, "unavailable"]);
    expect(last(objects, id)).toMatchObject({ endpoints: [{ is_active: true }] });
    const first = last(objects, id)?.revision ?? 0;

    const all = { ...env, ...objects } as unknown as Env;
    await pushPendingEndpoints(all, Date.now(), 1_000);
    expect(last(objects, id)?.revision).toBe(first);
    await pushPendingEndpoints(all, Date.now() + 61_000, 1_000);
    expect(last(objects, id)).toMatchObject({ endpoints: [{ is_active: false }] });
    expect(last(objects, id)?.revision).toBeGreaterThan(first);
    const before = objects.endpointPushes.length;
    await pushPendingEndpoints(all, Date.now() + 122_000, 1_000);
    expect(objects.endpointPushes).toHaveLength(before);
  });
});
