// Proxies through the Account API, for administrators: validation, assignment, and moving connections.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import { MISSING_PROXY } from "#root/src/services/proxies/address.ts";
import { removeProxy } from "#root/src/services/proxies/change.ts";
import { allDisconnected, connectedInstance } from "../support/account-session.ts";
import { type Calls, codeOf, holder, instanceOf } from "../support/accounts.ts";
import { answerCheck, admin, healthy, hostName, madeProxy } from "./world.ts";
import { FakeBridge } from "../fakes/bridge.ts";
import { event } from "../fakes/connection.ts";

afterEach(allDisconnected);

const PASSWORD = "xyzzy-plugh";
const problemOf = ({ body }: { body: any }) => body.error.details?.issues ?? body.error.issues ?? body.error;

describe("a proxy", () => {
  it("is made, shown without its password, changed and removed, and all that is in the audit log without it, too", async () => {
    const { call } = await admin();
    const host = hostName();
    const body = {
      label: "São Paulo 1",
      protocol: "https",
      host,
      port: 8443,
      username: "ana",
      password: PASSWORD,
      country: "BR",
      max_instances: 2,
    };
    const made = await call("POST", "/admin/proxies", { ...body, reason: "more room" });
    expect([made.status, made.body.data]).toEqual([
      201,
      {
        id: expect.any(String),
        label: "São Paulo 1",
        protocol: "https",
        host,
        port: 8443,
        username: "ana",
        has_password: true,
        country: "BR",
        max_instances: 2,
        assigned: 0,
        is_active: true,
        health: expect.objectContaining({ status: "unknown", latency_ms: null, success_rate_1h: null, checked_at: null }),
        created_at: expect.any(String),
      },
    ]);
    const { id } = made.body.data;
    expect(codeOf(await call("PATCH", `/admin/proxies/${id}`, { reason: "Nothing" }))).toEqual([400, "validation_error"]);
    const changed = await call("PATCH", `/admin/proxies/${id}`, { label: "Rio 1", password: "another-secret" });
    expect(changed.body.data).toMatchObject({ label: "Rio 1", has_password: true, username: "ana" });
    expect((await call("GET", `/admin/proxies/${id}`)).body.data).toMatchObject({ label: "Rio 1", instances: [] });
    const listed = async () => {
      for (let cursor = ""; ;) {
        const { body: page } = await call("GET", `/admin/proxies?limit=200${cursor}`);
        if (page.data.some((one: any) => one.id === id)) return true;
        if (page.next_cursor === null) return false;
        cursor = `&cursor=${page.next_cursor}`;
      }
    };
    expect(await listed()).toBe(true);
    expect((await call("DELETE", `/admin/proxies/${id}`)).body).toEqual({ message: "The proxy is removed." });
    expect(await listed()).toBe(false);
    for (const path of [`/admin/proxies/${id}`]) expect(codeOf(await call("GET", path))).toEqual([404, "proxy_not_found"]);

    const { data } = (await call("GET", `/admin/audit?target=${id}`)).body;
    expect(data.map((entry: any) => [entry.action, entry.outcome])).toEqual([
      ["deleteProxy", "done"],
      ["updateProxy", "done"],
      ["createProxy", "done"],
    ]);
    expect(data[2]).toMatchObject({ reason: "more room", before: null, after: { label: "São Paulo 1", has_password: true } });
    const stored = await env.DB.prepare("SELECT * FROM audit_entry").all();
    expect(JSON.stringify([data, stored.results, made.body, changed.body])).not.toMatch(/xyzzy-plugh|another-secret/);
  });

  it.each([
    "127.0.0.1",
    "localhost",
    "10.0.0.8",
    "192.168.1.1",
    "169.254.169.254",
    "::1",
    "[::1]",
    "[fe80::1]",
    "::ffff:10.0.0.1",
    "0x7f.1",
    "2130706433",
    "proxy.internal",
    "app.example.com",
    "api.example.com.",
    "proxy.example.com:3128",
    "proxy.example.com/x",
    "user@proxy.example.com",
    "proxy example",
  ])("is refused at %s, when it is made and when it is changed", async (host) => {
    const { call } = await admin();
    const body = { label: "p", protocol: "http", host, port: 3128 };
    const { id } = await madeProxy(call);
    for (const answer of [await call("POST", "/admin/proxies", body), await call("PATCH", `/admin/proxies/${id}`, { host })]) {
      expect(codeOf(answer)).toEqual([400, "validation_error"]);
      expect(JSON.stringify(problemOf(answer))).toContain("must be a public address or name, without scheme and port");
    }
  });

  it("is refused when a bridge says that its name leads to no public address", async () => {
    const { call } = await admin();
    const bridge = await FakeBridge.dial();
    const host = hostName();
    const made = call("POST", "/admin/proxies", { label: "p", protocol: "http", host, port: 3128, username: "ana", password: PASSWORD });
    const { frame } = await answerCheck([bridge], host, { ok: false, error: "address_not_allowed" });
    expect(frame).toMatchObject({ url: `http://${host}:3128`, reach: "address", exit_ticket: null });
    expect(codeOf(await made)).toEqual([400, "validation_error"]);
    expect(await env.DB.prepare("SELECT COUNT(*) AS n FROM proxy WHERE host = ?").bind(host).first("n")).toBe(0);
    await bridge.left();
  });

  it("has a name and a password, or neither", async () => {
    const { call } = await admin();
    const body = { label: "p", protocol: "http", host: hostName(), port: 3128 };
    for (const one of [{ username: "ana" }, { password: PASSWORD }, { username: "a:b", password: PASSWORD }])
      expect(codeOf(await call("POST", "/admin/proxies", { ...body, ...one }))).toEqual([400, "validation_error"]);
    const { id } = await madeProxy(call, { username: "ana", password: PASSWORD });
    expect(codeOf(await call("PATCH", `/admin/proxies/${id}`, { username: null }))).toEqual([400, "validation_error"]);
    const open = await call("PATCH", `/admin/proxies/${id}`, { username: null, password: null });
    expect(open.body.data).toMatchObject({ username: null, has_password: false });
  });
});

describe("the room of a proxy", () => {
  it("is never exceeded, however many want the last place at once", async () => {
    const [{ call }, ana, bia] = [await admin(), await holder(), await holder()];
    const { id } = await madeProxy(call, { max_instances: 3 });
    const without = await Promise.all([1, 2, 3].map(() => instanceOf(bia.call)));
    const tries = await Promise.all([
      ...[1, 2, 3].map(() => ana.call("POST", "/instances", { name: "x", connect: false, proxy_id: id })),
      ...without.map((own) => bia.call("PATCH", `/instances/${own.id}`, { proxy_id: id })),
      call("POST", `/admin/proxies/${id}/assign`, { instance_ids: without.slice(0, 2).map((own) => own.id) }),
    ]);
    const refused = tries.filter(({ status }) => status >= 400);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(codeOf(answer)).toEqual([409, "proxy_full"]);
      expect(answer.body.error.details).toMatchObject({ max_instances: 3 });
    }
    const { assigned, instances } = (await call("GET", `/admin/proxies/${id}`)).body.data;
    expect(assigned).toBeLessThanOrEqual(3);
    expect(assigned).toBeGreaterThanOrEqual(2);
    expect(instances).toHaveLength(assigned);
    expect(codeOf(await call("PATCH", `/admin/proxies/${id}`, { max_instances: assigned - 1 }))).toEqual([409, "proxy_full"]);
    // An instance that already uses the proxy may change without using another slot.
    const [one] = instances;
    const owner = one.user_id === ana.who.user.id ? ana : bia;
    expect((await owner.call("PATCH", `/instances/${one.id}`, { proxy_id: id, name: "y" })).status).toBe(200);
    // Removing one frees a slot.
    await owner.call("DELETE", `/instances/${one.id}`);
    expect((await call("GET", `/admin/proxies/${id}`)).body.data.assigned).toBe(assigned - 1);
  });

  it("is given by an administrator to instances of several owners, all or none", async () => {
    const [{ call }, ana, bia] = [await admin(), await holder(), await holder()];
    const { id } = await madeProxy(call, { max_instances: 2 });
    const ids = [(await instanceOf(ana.call)).id, (await instanceOf(bia.call)).id, (await instanceOf(bia.call)).id];
    const assign = (instance_ids: string[]) => call("POST", `/admin/proxies/${id}/assign`, { instance_ids });
    const full = await assign(ids);
    expect(codeOf(full)).toEqual([409, "proxy_full"]);
    expect(full.body.error.details).toEqual({ max_instances: 2, assigned: 0, asked: 3 });
    expect(codeOf(await assign([ids[0], crypto.randomUUID()]))).toEqual([404, "instance_not_found"]);
    // A Cloud API number has no network connection that could use a proxy.
    await env.DB.prepare("UPDATE connection SET kind = 'cloud_api' WHERE uuid = ?").bind(ids[0]).run();
    expect(codeOf(await assign([ids[0]]))).toEqual([501, "not_supported"]);
    await env.DB.prepare("UPDATE connection SET kind = 'session' WHERE uuid = ?").bind(ids[0]).run();
    expect((await call("GET", `/admin/proxies/${id}`)).body.data.assigned).toBe(0);
    for (let n = 0; n < 2; n += 1) expect((await assign([ids[0], ids[1], ids[0]])).status, "repeating it is safe").toBe(200);
    const { assigned, instances } = (await call("GET", `/admin/proxies/${id}`)).body.data;
    expect([assigned, instances.map((one: any) => one.user_id)]).toEqual([2, [ana.who.user.id, bia.who.user.id]]);
    expect((await ana.call("GET", `/instances/${ids[0]}`)).body.data.proxy_id).toBe(id);
  });
});

describe("a proxy that is removed", () => {
  it("must carry nothing, unless its instances may go to healthy ones with room, of the same country first", async () => {
    const [{ call }, ana] = [await admin(), await holder()];
    await env.DB.prepare("UPDATE proxy SET is_active = 0").run();
    const old = await madeProxy(call, { country: "BR", max_instances: 5 });
    const near = await madeProxy(call, { country: "BR", max_instances: 2 });
    const far = await madeProxy(call, { country: "PT", max_instances: 1 });
    const own = await Promise.all([1, 2, 3].map(() => instanceOf(ana.call, { proxy_id: old.id })));
    const refused = await call("DELETE", `/admin/proxies/${old.id}`);
    expect([codeOf(refused), refused.body.error.details.assigned]).toEqual([[409, "proxy_in_use"], 3]);
    // First all other proxies are unchecked, then one of them is healthy.
    expect(codeOf(await call("DELETE", `/admin/proxies/${old.id}?reassign=true`))).toEqual([409, "proxy_in_use"]);
    await healthy(near.id);
    const short = await call("DELETE", `/admin/proxies/${old.id}?reassign=true`);
    expect([codeOf(short), short.body.error.details]).toEqual([[409, "proxy_in_use"], { assigned: 3, room_on_others: 2 }]);
    expect((await call("GET", `/admin/proxies/${old.id}`)).body.data.assigned).toBe(3);
    await healthy(far.id);
    expect((await call("DELETE", `/admin/proxies/${old.id}?reassign=true`)).status).toBe(200);
    const now = await Promise.all(own.map(async ({ id }) => (await ana.call("GET", `/instances/${id}`)).body.data.proxy_id));
    expect([near.id, far.id].map((id) => now.filter((one) => one === id).length)).toEqual([2, 1]);
    const [entry] = (await call("GET", `/admin/audit?target=${old.id}&action=deleteProxy`)).body.data;
    expect(Object.keys(entry.before.moved)).toHaveLength(3);
  });
});

describe("the instances of a removed proxy", () => {
  it("take no more proxies than they need, however many have room", async () => {
    const [{ call }, ana] = [await admin(), await holder()];
    await env.DB.prepare("UPDATE proxy SET is_active = 0").run();
    const old = await madeProxy(call, { max_instances: 5 });
    for (let n = 0; n < 6; n += 1) await healthy((await madeProxy(call, { max_instances: 2 })).id);
    for (let n = 0; n < 3; n += 1) await instanceOf(ana.call, { proxy_id: old.id });
    const batches: number[] = [];
    const batch = (statements: D1PreparedStatement[]) => {
      batches.push(statements.length);
      return env.DB.batch(statements);
    };
    const DB = { prepare: (query: string) => env.DB.prepare(query), batch };
    const counting = { ...(env as Env), DB: DB as unknown as D1Database };
    const inUse = await removeProxy(counting, { id: old.id, country: null }, false, Date.now());
    expect(inUse).toMatchObject({ ok: false, failure: { details: { assigned: 3, room_on_others: 12 } } });
    const removed = await removeProxy(counting, { id: old.id, country: null }, true, Date.now());
    expect(removed).toMatchObject({ ok: true, value: [{}, {}, {}] });
    // Each call reads in one batch and removes in the next; the last batch also moves instances to two other proxies.
    expect(batches.slice(0, 4)).toEqual([2, 1, 2, 2 + 1]);
  });
});

describe("the sessions of a proxy", () => {
  it("get its new address at once, and one that another proxy had stopped starts again", async () => {
    const [{ call }, ana] = [await admin(), await holder()];
    const { id } = await madeProxy(call, { username: "ana", password: PASSWORD });
    const number = await connectedInstance(ana.call, { proxy_id: id });
    expect(number.session.settings?.proxy_url).toContain(`ana:${PASSWORD}@`);
    // The only bridge never answers the check, so the call takes the full timeout.
    await call("PATCH", `/admin/proxies/${id}`, { password: "another-secret" });
    expect((await number.session.frames.next("settings")).settings.proxy_url).toContain("ana:another-secret@");
    await call("PATCH", `/admin/proxies/${id}`, { label: "only the label" });

    for (let n = 0; n < 3; n += 1) await number.session.commit([event.closed("proxy_error")]);
    const status = async () => (await ana.call("GET", `/instances/${number.id}`)).body.data;
    expect(await status()).toMatchObject({ status: "failed", status_reason: "proxy_error" });
    const other = await madeProxyBeside(call);
    await call("POST", `/admin/proxies/${other.id}/assign`, { instance_ids: [number.id] });
    expect(await status()).toMatchObject({ status: "connecting", proxy_id: other.id });
    expect(number.session.frames.rest.filter(({ type }) => type === "settings")).toEqual([]);
    expect(MISSING_PROXY).not.toBe(other.id);
  });
});

/** Written directly, because creating it through the API would wait for the unresponsive bridge. */
async function madeProxyBeside(call: Calls): Promise<{ id: string }> {
  const id = crypto.randomUUID();
  await env.DB.prepare("INSERT INTO proxy (id, label, protocol, host, port, created_at) VALUES (?, 'p', 'http', ?, 3128, 0)")
    .bind(id, hostName())
    .run();
  return (await call("GET", `/admin/proxies/${id}`)).body.data;
}
