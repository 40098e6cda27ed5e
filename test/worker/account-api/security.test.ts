// Every route in the table against every invalid credential, foreign ids, and keys without the right scope.
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import { ROUTES, type Route } from "#root/src/api/account/routes.ts";
import { SCOPES } from "@gateway/domain/keys/scopes.ts";
import { theirText } from "../fakes/messages.ts";
import { allDisconnected, connectedInstance, CustomerServer } from "../support/account-session.ts";
import { type Calls, callsWith, codeOf, holder, instanceOf, keyOf } from "../support/accounts.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { freshAddress, freshKey } from "../support/gateway.ts";
import { someone } from "../support/people.ts";

type Guarded = Exclude<Route, { kind: "public" }>;

/** The family of `/instances/{instanceId}/chats/…` is `chats`. */
const familyOf = (path: string) => path.replace("/instances/{instanceId}/", "/").split("/")[1];

const guarded = ROUTES.filter((route): route is Guarded => route.kind !== "public");
const named = guarded.map((route) => [route.method.toUpperCase(), route.path, route] as const);
/** All routes share the authentication code, so each invalid credential is tried on just one route per method and family. */
const onePerFamily = [...new Map(named.map((row) => [`${row[0]} ${familyOf(row[1])}`, row])).values()];
const administration = named.filter(([, , { scope }]) => scope === "admin");
/** Routes to account-owned objects; administrators reach all objects through other routes. */
const ofAccounts = guarded.filter(({ scope }) => scope !== "admin");

type Ids = Readonly<Record<string, string>>;

const SOME_IDS: Ids = {
  instanceId: crypto.randomUUID(),
  webhookId: crypto.randomUUID(),
  keyId: crypto.randomUUID(),
  deliveryId: `msg_${"0".repeat(32)}`,
  chatId: "5511900000002@c.us",
  groupId: "120363000000000001@g.us",
  lid: "150000000000077@lid",
  phone: "5511900000002",
  messageId: "3EB0C431C26A1916E07A",
  contactId: "5511900000002@c.us",
  labelId: "1",
  listenerId: `lst_${"0".repeat(32)}`,
  channelId: "120363041234567891@newsletter",
  serverId: "100",
  userId: crypto.randomUUID(),
  bridgeId: "eu-1",
  proxyId: crypto.randomUUID(),
};

/** Valid bodies that would take effect for an authorized caller. */
const BODIES: Readonly<Record<string, unknown>> = {
  "POST /admin/proxies": { label: "p", protocol: "http", host: "proxy.example.com", port: 3128 },
  "POST /admin/proxies/{proxyId}/assign": { instance_ids: [crypto.randomUUID()] },
  "PUT /admin/fleet/rollout": { build: "b1", percent: 1 },
  "POST /api-keys": { name: "x" },
  "PATCH /api-keys/{keyId}": { name: "x" },
  "POST /admin/users": { email: "invited@example.com", name: "x", role: "user" },
  "PUT /admin/users/{userId}/subscription": { plan: "x", status: "active", max_instances: 1, current_period_end: null },
  "POST /me/delete": { email: "nobody@example.com" },
  "POST /instances": { name: "x", connect: false },
  "PATCH /instances/{instanceId}": { name: "x" },
  "POST /instances/{instanceId}/pairing-code": { phone_number: "5511900000001" },
  "POST /webhooks": { url: "https://hooks.example.com/", events: ["message.received"] },
  "PATCH /webhooks/{webhookId}": { is_active: false },
  "POST /webhooks/{webhookId}/resend": { since: new Date(Date.now() - 60_000).toISOString() },
};

function asked(route: Guarded, ids: Ids = SOME_IDS): [method: string, path: string, body: unknown] {
  const method = route.method.toUpperCase();
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? SOME_IDS[name] ?? "");
  return [method, path, BODIES[`${method} ${route.path}`] ?? route.example?.body ?? (route.mutating ? {} : undefined)];
}

describe("a caller without a valid credential", () => {
  const bad: Record<string, string>[] = [];

  beforeAll(async () => {
    const { who, key } = await holder();
    const revoked = await keyOf(who);
    await env.DB.prepare("DELETE FROM account_key WHERE id = ?").bind(revoked.id).run();
    const expired = await keyOf(who, { expiresAt: Date.now() - 1 });
    bad.push(
      {},
      { "x-api-key": "" },
      { "x-api-key": "acc_" },
      { "x-api-key": `acc_${"A".repeat(43)}` },
      { "x-api-key": `${key.slice(0, -1)}${key.endsWith("A") ? "E" : "A"}` },
      { "x-api-key": `${key}, ${key}` },
      { "x-api-key": revoked.key },
      { "x-api-key": expired.key },
      { "x-api-key": "", authorization: `Bearer ${who.token}` },
      { authorization: `Bearer ${who.token.slice(0, -2)}` },
      { authorization: who.token },
      { authorization: `Basic ${btoa("a:b")}` },
    );
  });

  it.each(named)("is answered 401: %s %s", async (_method, _path, route) => {
    const from = { "cf-connecting-ip": freshAddress() };
    for (const credential of [{}, { "x-api-key": freshKey().key }]) {
      expect(codeOf(await callsWith(credential)(...asked(route), from))).toEqual([401, "unauthorized"]);
    }
  });

  it.each(onePerFamily)("is answered 401, whatever is wrong: %s %s", async (_method, _path, route) => {
    // One address for all calls, because each address has its own guard object with a database.
    const from = { "cf-connecting-ip": freshAddress() };
    const answers = await Promise.all(bad.map((credential) => callsWith(credential)(...asked(route), from)));
    expect(answers.map(({ status }) => status)).toEqual(bad.map(() => 401));
    const bodies = answers.map(({ body }) => ({ ...body, request_id: null }));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(answers.every(({ headers }) => headers.get("www-authenticate") === "Bearer")).toBe(true);
  });
});

it("a caller with the wrong kind of credential is told which one belongs here, and where errors are explained", async () => {
  const { key } = await holder();
  const reasonOf = async (credential: Record<string, string>) => {
    const { status, body, headers } = await callsWith(credential)("GET", "/me", undefined, { "cf-connecting-ip": freshAddress() });
    expect([status, headers.get("link")]).toEqual([401, '</docs/account?lang=en#description/errors>; rel="help"']);
    expect(headers.get("x-request-id")).toBe(body.request_id);
    return body.error;
  };
  const ofConnection = { code: "unauthorized", details: { reason: "connection_key" } };
  for (const credential of [{ "x-api-key": freshKey().key }, { authorization: `Bearer ${freshKey().key}` }, { "x-api-key": "svc_x" }]) {
    const error = await reasonOf(credential);
    expect(error).toMatchObject(ofConnection);
    expect(error.message).toContain("account key (acc_");
  }
  expect(await reasonOf({ authorization: `Bearer ${key}` })).toMatchObject({ details: { reason: "key_as_bearer" } });
  expect((await reasonOf({ "x-api-key": `acc_${"A".repeat(43)}` })).details).toBeUndefined();
});

describe("an unauthorized caller", () => {
  let suspended: Awaited<ReturnType<typeof holder>>;
  const without = new Map<string, Calls>();

  beforeAll(async () => {
    suspended = await holder();
    await env.DB.prepare("UPDATE user SET status = 'suspended' WHERE id = ?").bind(suspended.who.user.id).run();
    const { withScopes } = await holder();
    for (const scope of SCOPES) without.set(scope, await withScopes(...SCOPES.filter((other) => other !== scope && other !== "admin")));
  });

  it.each(named)("is answered 403 when the account is suspended: %s %s", async (_method, _path, route) => {
    expect(codeOf(await suspended.call(...asked(route)))).toEqual([403, "account_suspended"]);
  });

  it.each(named.filter(([, , route]) => route.scope !== null))(
    "is answered 403 when the key lacks the scope: %s %s",
    async (_method, _path, route) => {
      const answer = await without.get(route.scope ?? "")?.(...asked(route));
      expect([answer?.status, answer?.body.error.code, answer?.body.error.details]).toEqual([403, "forbidden", { scope: route.scope }]);
    },
  );
});

describe("administration", () => {
  let callers: Awaited<ReturnType<typeof adminCallers>>;

  beforeAll(async () => {
    callers = await adminCallers();
  });

  it.each(administration)("is for administrators only: %s %s", async (_method, _path, route) => {
    const { user, unscoped, bound, suspended } = callers;
    for (const [call, status, error] of [
      [callsWith({}), 401, { code: "unauthorized" }],
      [user.call, 403, { code: "forbidden", details: { scope: "admin" } }],
      [user.token, 403, { code: "forbidden", details: { scope: "admin" } }],
      [unscoped, 403, { code: "forbidden", details: { scope: "admin" } }],
      [bound, 403, { code: "forbidden", details: { reason: "key_restricted" } }],
      [suspended.call, 403, { code: "account_suspended" }],
      [suspended.token, 403, { code: "account_suspended" }],
    ] as const) {
      const answer = await call(...asked(route));
      expect([answer.status, answer.body.error]).toEqual([status, expect.objectContaining(error)]);
    }
    expect(await entriesBy(user.who.user.id)).toEqual([]);
  });

  it.each(administration.filter(([, , { mutating }]) => mutating))("is entered in the audit log: %s %s", async (_method, _path, route) => {
    const { call, who } = callers.admin;
    const before = await entriesBy(who.user.id);
    const answer = await call(...asked(route));
    expect(answer.body.error?.code).not.toBe("validation_error");
    const entries = (await entriesBy(who.user.id)).slice(before.length);
    expect(entries).toEqual([{ action: route.name, request_id: answer.headers.get("x-request-id"), outcome: expect.any(String) }]);
  });
});

/** Callers around one administrator: underprivileged keys and unauthorized users. */
async function adminCallers() {
  const [admin, suspended, user] = [await holder(), await holder(), await holder()];
  for (const { who } of [admin, suspended]) await setRole(env.DB, who.user.id, "admin");
  await env.DB.prepare("UPDATE user SET status = 'suspended' WHERE id = ?").bind(suspended.who.user.id).run();
  const own = await instanceOf(admin.call);
  const bound = callsWith({ "x-api-key": (await keyOf(admin.who, { scopes: SCOPES, instanceIds: [own.id] })).key });
  return { admin, suspended, user, bound, unscoped: await admin.withScopes("read", "send", "manage") };
}

async function entriesBy(actor: string): Promise<unknown[]> {
  const sql = "SELECT action, request_id, outcome FROM audit_entry WHERE actor_id = ? ORDER BY id";
  return (await env.DB.prepare(sql).bind(actor).all()).results;
}

/** Parameters that name account-owned objects, with the error for another account's id. */
const OWNED: Readonly<Record<string, string>> = {
  instanceId: "instance_not_found",
  webhookId: "webhook_not_found",
  deliveryId: "delivery_not_found",
  keyId: "key_not_found",
  listenerId: "listener_not_found",
};
/** Parameters and fields that name network objects within an instance. */
const WITHIN = new Set(
  "chatId groupId lid phone messageId contactId labelId channelId serverId chat_id from_chat_id group_id message_id quoted_message_id label_id label_ids call_id".split(
    " ",
  ),
);

const paramsOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, param = ""]) => param);

/** One row for each path position that accepts another account's id. */
const foreignPlaces = ofAccounts.flatMap((route) =>
  paramsOf(route.path).flatMap((param) => (param in OWNED ? [[route.method.toUpperCase(), route.path, param, route] as const] : [])),
);

async function withEverything() {
  const account = await holder();
  const { id, session } = await connectedInstance(account.call);
  const events = ["message.received"];
  const webhook = await account.call("POST", "/webhooks", { url: "https://hooks.example.net/", events, instance_id: id });
  const message = theirText(crypto.randomUUID(), "secret");
  await session.commit([{ type: "message.upsert", message, origin: "live" }]);
  const { data } = (await account.call("GET", `/webhooks/${webhook.body.data.id}/deliveries`)).body;
  const listener = await account.call("POST", `/instances/${id}/listeners`, { name: "laptop" });
  const ids: Ids = {
    instanceId: id,
    webhookId: webhook.body.data.id,
    deliveryId: data[0].id,
    keyId: account.keyId,
    listenerId: listener.body.data.id,
  };
  return { ...account, ids };
}

describe("another account's resource", () => {
  let ids: Ids;
  let stranger: Awaited<ReturnType<typeof withEverything>>;

  beforeAll(async () => {
    const server = new CustomerServer();
    const owner = await withEverything();
    stranger = await withEverything();
    await server.deliveries(2);
    ids = owner.ids;
  });
  afterAll(allDisconnected);

  it("is covered by this suite in every path", () => {
    const params = new Set(ofAccounts.flatMap(({ path }) => paramsOf(path)));
    expect([...params].filter((param) => !(param in OWNED) && !WITHIN.has(param))).toEqual([]);
  });

  it.each(foreignPlaces)("does not exist: %s %s by its %s", async (_method, _path, param, route) => {
    // All other ids in the path are the stranger's own, so only this id can cause the refusal.
    const mixed = { ...stranger.ids, [param]: ids[param] ?? "" };
    for (const credential of [{ "x-api-key": stranger.key }, { authorization: `Bearer ${stranger.who.token}` }]) {
      const { status, body } = await callsWith(credential)(...asked(route, mixed));
      const isForPeople = route.kind === "action" && route.bearerOnly && "x-api-key" in credential;
      expect([status, body.error?.code]).toEqual(isForPeople ? [403, "bearer_required"] : [404, OWNED[param]]);
      expect(JSON.stringify(body)).not.toMatch(/Loja|secret/);
    }
  });

  it.each(foreignPlaces)("gets the same response as a missing one: %s %s by its %s", async (_method, _path, param, route) => {
    const [foreign, none] = [
      await stranger.call(...asked(route, { ...stranger.ids, [param]: ids[param] ?? "" })),
      await stranger.call(...asked(route, { ...stranger.ids, [param]: SOME_IDS[param] ?? "" })),
    ];
    expect({ ...foreign.body, request_id: null }).toEqual({ ...none.body, request_id: null });
  });

  it("is covered by this suite in every body and query", () => {
    const fields = ofAccounts.flatMap((route) =>
      [route.body, route.query].flatMap((schema) =>
        Object.keys((schema as z.ZodObject | null)?.shape ?? {})
          .filter((field) => /_ids?$/.test(field) && !WITHIN.has(field))
          .map((field) => `${route.method.toUpperCase()} ${route.path} ${field}`),
      ),
    );
    expect(fields.toSorted()).toEqual([
      "GET /webhooks/{webhookId}/deliveries instance_id",
      "PATCH /instances/{instanceId} proxy_id",
      "PATCH /webhooks/{webhookId} instance_id",
      "POST /api-keys instance_ids",
      "POST /instances proxy_id",
      "POST /webhooks instance_id",
    ]);
  });

  it("cannot be reached by a body or a query", async () => {
    const url = "https://hooks.example.com/";
    const events = ["message.received"];
    expect(codeOf(await stranger.call("POST", "/webhooks", { url, events, instance_id: ids["instanceId"] }))).toEqual([
      404,
      "instance_not_found",
    ]);
    const own = await stranger.call("POST", "/webhooks", { url, events });
    const patch = await stranger.call("PATCH", `/webhooks/${own.body.data.id}`, { instance_id: ids["instanceId"] });
    expect(codeOf(patch)).toEqual([404, "instance_not_found"]);
    const listed = await stranger.call("GET", `/webhooks/${own.body.data.id}/deliveries?instance_id=${ids["instanceId"]}`);
    expect(listed.body).toEqual({ data: [], next_cursor: null });
    expect(codeOf(await stranger.token("POST", "/api-keys", { name: "x", instance_ids: [ids["instanceId"]] }))).toEqual([
      404,
      "instance_not_found",
    ]);
    // Proxies are shared by the deployment's accounts, so an unknown one is an invalid field.
    const elsewhere = { proxy_id: crypto.randomUUID() };
    for (const [method, path, body] of [
      ["POST", "/instances", { name: "x", ...elsewhere }],
      ["PATCH", `/instances/${stranger.ids["instanceId"]}`, elsewhere],
    ] as const) {
      expect(codeOf(await stranger.call(method, path, body))).toEqual([400, "validation_error"]);
    }
    const seen = (await stranger.call("GET", `/instances?q=Loja`)).body.data;
    expect(seen.map(({ id }: { id: string }) => id)).toEqual([stranger.ids["instanceId"]]);
  });

  it("cannot be reached by a malformed instance id", async () => {
    for (const instanceId of ["x", "1", "..", "%00", "00000000-0000-0000-0000-000000000000", (ids["instanceId"] ?? "").toUpperCase()]) {
      expect([instanceId, ...codeOf(await stranger.call("GET", `/instances/${instanceId}/status`))]).toEqual([
        instanceId,
        404,
        expect.stringMatching(/_not_found$/),
      ]);
    }
  });
});

describe("a key that is restricted to some instances", () => {
  it("works for those instances only", async () => {
    const { who, call } = await holder();
    const [mine, other] = [await instanceOf(call), await instanceOf(call)];
    const events = ["message.received"];
    const url = "https://hooks.example.com/";
    const everywhere = (await call("POST", "/webhooks", { url, events })).body.data;
    const elsewhere = (await call("POST", "/webhooks", { url, events, instance_id: other.id })).body.data;
    const { id, key } = await keyOf(who, { instanceIds: [mine.id] });
    const restricted = callsWith({ "x-api-key": key });
    expect((await restricted("GET", `/instances/${mine.id}`)).status).toBe(200);
    expect((await restricted("GET", "/instances")).body.data.map((each: { id: string }) => each.id)).toEqual([mine.id]);
    const own = await restricted("POST", "/webhooks", { url, events, instance_id: mine.id });
    expect(own.status).toBe(201);
    expect((await restricted("GET", "/webhooks")).body.data.map((each: { id: string }) => each.id)).toEqual([own.body.data.id]);
    for (const [method, path, body] of [
      ["GET", `/instances/${other.id}`],
      ["POST", `/instances/${other.id}/restart`],
      ["DELETE", `/instances/${other.id}`],
      ["POST", "/instances", { name: "x" }],
      ["POST", "/webhooks", { url, events }],
      ["POST", "/webhooks", { url, events, instance_id: other.id }],
      ["PATCH", `/webhooks/${own.body.data.id}`, { instance_id: null }],
      ["GET", `/webhooks/${everywhere.id}`],
      ["DELETE", `/webhooks/${elsewhere.id}`],
      ["GET", `/webhooks/${elsewhere.id}/deliveries`],
      ["POST", `/webhooks/${everywhere.id}/test`],
      ["DELETE", `/api-keys/${crypto.randomUUID()}`],
    ] as const) {
      expect([method, path, ...codeOf(await restricted(method, path, body))]).toEqual([method, path, 403, "forbidden"]);
    }
    expect((await restricted("DELETE", `/api-keys/${id}`)).status).toBe(200);
  });

  it("sees no keys with wider access, page by page, and counts no other instances", async () => {
    const { who, call } = await holder();
    const [mine, other] = [await instanceOf(call), await instanceOf(call)];
    const own = await keyOf(who, { instanceIds: [mine.id], name: "own" });
    await keyOf(who, { instanceIds: [other.id], name: "elsewhere" });
    await keyOf(who, { instanceIds: [mine.id, other.id], name: "both" });
    const sibling = await keyOf(who, { instanceIds: [mine.id], name: "sibling" });
    const restricted = callsWith({ "x-api-key": own.key });
    const pages = [];
    for (let path = "/api-keys?limit=1"; path !== "";) {
      const { body } = await restricted("GET", path);
      pages.push(body.data.map((each: { id: string }) => each.id));
      path = body.next_cursor === null ? "" : `/api-keys?limit=1&cursor=${body.next_cursor}`;
    }
    expect(pages).toHaveLength(2);
    expect(new Set(pages.flat())).toEqual(new Set([own.id, sibling.id]));
    expect((await restricted("GET", "/me")).body.data.instances_count).toBe(1);
    expect((await call("GET", "/api-keys")).body.data).toHaveLength(5);
    expect((await call("GET", "/me")).body.data.instances_count).toBe(2);
  });
});

describe("a user that an instance is shared with", () => {
  it("may do what the role allows", async () => {
    const { who, call } = await holder();
    const instance = await instanceOf(call);
    const guest = await holder();
    const share = (role: string) =>
      env.DB.prepare(
        "INSERT OR REPLACE INTO share (connection_id, user_id, role, created_at) SELECT id, ?, ?, 0 FROM connection WHERE uuid = ?",
      )
        .bind(guest.who.user.id, role, instance.id)
        .run();
    const at = `/instances/${instance.id}`;
    await share("viewer");
    expect((await guest.call("GET", at)).body.data.user_id).toBe(who.user.id);
    expect(codeOf(await guest.call("POST", `${at}/disconnect`))).toEqual([403, "forbidden"]);
    await share("operator");
    expect((await guest.call("POST", `${at}/disconnect`)).status).toBe(200);
    const webhook = { url: "https://hooks.example.com/", events: ["message.received"], instance_id: instance.id };
    for (const [method, path, body] of [
      ["PATCH", at, { name: "x" }],
      ["DELETE", at],
      ["POST", `${at}/logout`],
      ["POST", "/webhooks", webhook],
    ] as const) {
      expect([method, path, ...codeOf(await guest.call(method, path, body))]).toEqual([method, path, 403, "forbidden"]);
    }
    await env.DB.prepare("DELETE FROM share WHERE user_id = ?").bind(guest.who.user.id).run();
    expect(codeOf(await guest.call("GET", at))).toEqual([404, "instance_not_found"]);
  });
});

describe("an address that keeps failing", () => {
  it("is blocked for calls without a valid key only", async () => {
    const { call, token } = await holder();
    const address = { "cf-connecting-ip": "203.0.113.77" };
    const guess = callsWith({ "x-api-key": "acc_wrong" });
    const statuses: number[] = [];
    for (let time = 0; time < 21; time += 1) statuses.push((await guess("GET", "/me", undefined, address)).status);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429]);
    const blocked = await guess("GET", "/me", undefined, address);
    expect(codeOf(blocked)).toEqual([429, "too_many_attempts"]);
    expect(Number(blocked.headers.get("retry-after"))).toBeGreaterThan(800);
    expect((await call("GET", "/me", undefined, address)).status).toBe(200);
    expect((await token("GET", "/me", undefined, address)).status).toBe(200);
  });

  it("is not blocked for expired tokens", async () => {
    const who = await someone();
    const stale = callsWith({ authorization: `Bearer ${who.token}x` });
    const address = { "cf-connecting-ip": "203.0.113.78" };
    for (let time = 0; time < 25; time += 1) expect((await stale("GET", "/me", undefined, address)).status).toBe(401);
  });
});

it("an address that keeps failing learns nothing about existing resources", async () => {
  const { call } = await holder();
  for (const ask of [call, callsWith({})]) expect(codeOf(await ask("GET", "/nothing"))).toEqual([404, "route_not_found"]);
  const wrong = await call("PUT", "/webhooks", {});
  expect(codeOf(wrong)).toEqual([405, "method_not_allowed"]);
  expect([wrong.headers.get("allow"), wrong.body.error.details]).toEqual(["POST, GET", { method: "POST, GET" }]);
  const stranger = await callsWith({})("PUT", "/webhooks", {});
  expect([codeOf(stranger), stranger.headers.get("allow")]).toEqual([[404, "route_not_found"], null]);
});
