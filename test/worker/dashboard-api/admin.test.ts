// The deployment as its administrators see and change it in the dashboard.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import { mailStore } from "#root/src/sandbox/mail-store.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { type EnglishError, gateway, scriptedConnections } from "../support/gateway.ts";
import { freshEmail, someone } from "../support/people.ts";

const objects = scriptedConnections(({ operation }) =>
  operation === "instance.get" ? { ok: false, failure: { code: "unavailable" } } : { ok: true, json: "{}" },
);
const ask = gateway({ MAIL: mailStore(env.DB), CONNECTION: objects.CONNECTION } as unknown as Partial<Env>);

async function administrator() {
  const who = await someone();
  await setRole(env.DB, who.user.id, "admin");
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await ask(`/api/dashboard/admin${path}`, {
      method,
      headers: who.headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as { data: never; next_cursor: string | null } & EnglishError };
  };
  const entries = async (query: string) =>
    (await call("GET", `/audit?${query}`)).body.data as {
      action: string;
      reason: string;
      outcome: string;
      before: object;
      after: object;
    }[];
  return { ...who, call, entries };
}

const reason = "Pedido do cliente";

describe("an administrator's change", () => {
  it("requires a reason, and is audited with actor and reason", async () => {
    const { call, entries, user: by } = await administrator();
    const { user, headers } = await someone();
    expect((await call("POST", `/users/${user.id}/suspend`, {})).status).toBe(400);
    expect(await entries(`target=${user.id}`)).toEqual([]);

    const suspended = await call("POST", `/users/${user.id}/suspend`, { reason });
    expect([suspended.status, suspended.body.data]).toMatchObject([200, { id: user.id, status: "suspended" }]);
    const shut = await ask("/api/dashboard/me", { headers });
    expect([shut.status, ((await shut.json()) as EnglishError).error.code]).toEqual([403, "account_suspended"]);
    await call("POST", `/users/${user.id}/activate`, { reason });
    expect((await ask("/api/dashboard/me", { headers })).status).toBe(200);
    expect(await entries(`target=${user.id}`)).toMatchObject([
      { actor: { id: by.id, email: by.email, key_id: null }, action: "activateUser", reason, outcome: "done" },
      { action: "suspendUser", reason, outcome: "done", before: { status: "active" }, after: { status: "suspended" } },
    ]);
  });

  it("is audited too if it is refused", async () => {
    const { call, entries, user } = await administrator();
    const refused = await call("POST", `/users/${user.id}/suspend`, { reason });
    expect([refused.status, refused.body.error.code]).toEqual([409, "own_account"]);
    expect(await entries(`target=${user.id}`)).toMatchObject([{ action: "suspendUser", outcome: "refused", failure: "own_account" }]);
  });

  it("makes, renames, subscribes and closes an account", async () => {
    const { call } = await administrator();
    const terms = { plan: "pro", status: "active", max_instances: 3, current_period_end: null };
    const email = freshEmail();
    const made = await call("POST", "/users", { email, name: "Ana", reason, subscription: terms });
    const { id } = made.body.data as { id: string };
    expect([made.status, made.body.data]).toMatchObject([201, { email, role: "user", subscription: terms, is_confirmed: false }]);
    expect((await call("PATCH", `/users/${id}`, { name: "Ana Souza", role: "admin", reason })).body.data).toMatchObject({
      name: "Ana Souza",
      role: "admin",
    });
    const later = { ...terms, current_period_end: "2031-01-01T00:00:00.000Z" };
    expect((await call("PUT", `/users/${id}/subscription`, { ...later, reason })).body.data).toMatchObject({ subscription: later });
    expect((await call("DELETE", `/users/${id}`, { reason })).body.data).toMatchObject({
      status: "suspended",
      removal_at: expect.any(String),
    });
    expect((await call("GET", `/users/${id}`)).body.data).toMatchObject({ status: "suspended" });
    expect((await call("GET", "/users/nobody")).body.error.code).toBe("user_not_found");
  });
});

describe("the fleet", () => {
  it("has a client version and a share of a build, which say why they were set", async () => {
    const { call, entries } = await administrator();
    const setting = { version: "2.3000.77", max: null };
    expect((await call("PUT", "/client-version", setting)).status).toBe(400);
    expect((await call("PUT", "/client-version", { ...setting, reason })).body.data).toEqual(setting);
    expect((await call("GET", "/client-version")).body.data).toEqual(setting);
    await call("PUT", "/client-version", { version: null, max: null, reason });
    const share = { build: `build-${crypto.randomUUID()}`, percent: 1.5, instance_ids: [crypto.randomUUID()] };
    expect((await call("PUT", "/fleet/rollout", { ...share, percent: 101, reason })).status).toBe(400);
    expect((await call("PUT", "/fleet/rollout", { ...share, reason })).status).toBe(200);
    expect((await call("GET", "/fleet")).body.data).toMatchObject({ rollout: { ...share, rejected_for: null } });
    expect((await call("DELETE", "/fleet/rollout", { reason })).status).toBe(200);
    expect((await call("GET", "/fleet")).body.data).toMatchObject({ rollout: null });
    expect(await entries(`target=${share.build}`)).toMatchObject([
      { action: "endRollout", reason, before: share, after: null },
      { action: "shareBuild", reason, before: null, after: share },
    ]);
    expect(await entries("target=client_version&limit=1")).toMatchObject([
      { action: "setClientVersion", before: setting, outcome: "done" },
    ]);
  });
});

describe("the lists of an administrator", () => {
  it("continue where a page ended", async () => {
    const { call } = await administrator();
    const name = crypto.randomUUID();
    for (const _ of [1, 2, 3]) await call("POST", "/users", { email: `${crypto.randomUUID()}-${name}@example.com`, name: "A", reason });
    const first = await call("GET", `/users?q=${name}&limit=2`);
    const rest = await call("GET", `/users?q=${name}&limit=2&cursor=${first.body.next_cursor}`);
    expect([(first.body.data as []).length, (rest.body.data as []).length, rest.body.next_cursor]).toEqual([2, 1, null]);
    expect((await call("GET", "/users?cursor=x")).body.error.details).toEqual([{ field: "cursor", issue: "is not a cursor of this list" }]);
  });

  it("name every connection with its owner", async () => {
    const { call } = await administrator();
    const owner = await someone();
    const made = await ask("/api/dashboard/connections", { method: "POST", headers: owner.headers, body: '{"name":"Loja"}' });
    const { data } = (await made.json()) as { data: { instance_id: string } };
    const found = await call("GET", `/instances?user_id=${owner.user.id}`);
    expect(found.body.data).toMatchObject([
      { id: data.instance_id, status: "disconnected", owner: { email: owner.user.email }, bridge_id: null },
    ]);
    const moved = await call("POST", `/instances/${data.instance_id}/move`, { reason });
    expect([moved.status, moved.body.error.code]).toEqual([409, "instance_not_connected"]);
  });

  it("count the deployment's numbers by hour and day", async () => {
    const { call } = await administrator();
    const daily = await call("GET", "/statistics?interval=day");
    expect(daily.body.data).toMatchObject({ interval: "day", messages: { sent: expect.any(Number) }, series: expect.any(Array) });
    const from = new Date(Date.now() - 3_600_000).toISOString();
    expect((await call("GET", `/statistics?interval=hour&from=${from}`)).body.data).toMatchObject({ interval: "hour" });
    expect((await call("GET", `/statistics?from=${from}&to=2020-01-01T00:00:00Z`)).status).toBe(400);
  });
});

describe("administration of proxies and bridges", () => {
  it("adds proxies without showing their password, gives them to numbers, changes and removes them", async () => {
    const { call, entries } = await administrator();
    const owner = await someone();
    const made = await ask("/api/dashboard/connections", { method: "POST", headers: owner.headers, body: '{"name":"Loja"}' });
    const { data: connection } = (await made.json()) as { data: { instance_id: string } };
    const wanted = { label: "São Paulo 1", protocol: "http", host: "proxy.example.com", port: 3128 };
    const added = await call("POST", "/proxies", { ...wanted, username: "gateway", password: "correct-horse", reason });
    const { id } = added.body.data as { id: string };
    expect([added.status, added.body.data]).toMatchObject([
      201,
      { ...wanted, has_password: true, assigned: 0, health: { status: "unknown" } },
    ]);
    expect(JSON.stringify([added.body, await entries(`target=${id}`)])).not.toContain("correct-horse");
    expect((await call("POST", "/proxies", { ...wanted, host: "10.0.0.1", reason })).status).toBe(400);

    expect((await call("POST", `/proxies/${id}/assign`, { instance_ids: [connection.instance_id], reason })).status).toBe(200);
    expect((await call("GET", `/proxies/${id}`)).body.data).toMatchObject({
      assigned: 1,
      instances: [{ id: connection.instance_id, name: "Loja" }],
    });
    expect((await call("DELETE", `/proxies/${id}`, { reason })).body.error.code).toBe("proxy_in_use");
    expect((await call("PATCH", `/proxies/${id}`, { is_active: false, reason })).body.data).toMatchObject({ is_active: false });
    expect((await call("POST", `/proxies/${id}/check`, { reason })).status).toBe(503);
    const health = (await call("GET", "/proxies/health")).body.data as { total: number; items: { proxy_id: string }[] };
    expect(health.items.map(({ proxy_id }) => proxy_id)).toContain(id);
    expect((await call("GET", "/proxies")).body.data).toMatchObject([{ id }]);
    expect((await entries(`target=${id}`)).map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      "checkProxy refused",
      "updateProxy done",
      "deleteProxy refused",
      "assignProxy done",
      "createProxy done",
    ]);
  });

  it("lists no bridge while there is none, and cannot drain an unknown one", async () => {
    const { call } = await administrator();
    expect((await call("GET", "/bridges")).body).toEqual({ data: [] });
    expect((await call("POST", "/bridges/none/drain", { reason })).body.error.code).toBe("bridge_not_found");
  });
});
