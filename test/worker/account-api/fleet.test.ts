// Instances and bridges of the whole deployment, as administrators see and move them.
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { listAllInstances } from "#root/src/services/connections/list.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { FakeBridge, type FakeSession } from "../fakes/bridge.ts";
import { event, PHONE } from "../fakes/connection.ts";
import { type Calls, codeOf, holder, instanceOf } from "../support/accounts.ts";

let admin: Awaited<ReturnType<typeof holder>>;
beforeAll(async () => {
  admin = await holder();
  await setRole(env.DB, admin.who.user.id, "admin");
});

const bridges: FakeBridge[] = [];
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  for (const bridge of bridges.splice(0)) await bridge.left();
});

async function dial(options: Parameters<typeof FakeBridge.dial>[0] = {}): Promise<FakeBridge> {
  const bridge = await FakeBridge.dial(options);
  bridges.push(bridge);
  await bridgesSeen();
  return bridge;
}

const bridgesSeen = async () => (await admin.call("GET", "/admin/bridges")).body.data as { id: string }[];

/** An instance of a new customer, connected through this bridge. */
async function connected(bridge: FakeBridge) {
  const owner = await holder();
  const { id } = await instanceOf(owner.call);
  ends.push(() => owner.call("POST", `/instances/${id}/disconnect`));
  await owner.call("POST", `/instances/${id}/connect`);
  const session = await bridge.open(id);
  await session.commit([event.open()]);
  return { id, owner, session };
}

const listed = async (query: string, calls: Calls = admin.call) =>
  (await calls("GET", `/admin/instances?${query}`)).body.data as Record<string, any>[];

/** D1 is updated shortly after the object responds. */
const listedSoon = async (query: string, suits: (rows: Record<string, any>[]) => boolean) =>
  vi.waitUntil(async () => (await listed(query).then((rows) => suits(rows) && rows)) || null, { timeout: 60_000 });

const arrive = async (session: Promise<FakeSession>) => (await session).commit([event.open()]);

describe("the list of all instances", () => {
  it("shows owner, status and bridge, from what the instances last reported", async () => {
    const bridge = await dial({ startedAt: 1_760_000_000_000 });
    bridge.say({ type: "load", sessions: 1, rss_mb: 321.5, cpu: 0.25 });
    const { id, owner } = await connected(bridge);
    const [row] = (await listedSoon(`user_id=${owner.who.user.id}`, ([one]) => one?.["status"] === "connected")) ?? [];
    expect(row).toMatchObject({
      id,
      user_id: owner.who.user.id,
      owner: { id: owner.who.user.id, email: owner.who.user.email },
      status: "connected",
      status_reason: "ok",
      phone_number: PHONE,
      bridge_id: bridge.id,
      rss_mb: 321.5,
    });
    expect(await listed(`bridge_id=${bridge.id}&status=connected`)).toEqual([row]);
    expect(await listed(`bridge_id=${bridge.id}&status=failed`)).toEqual([]);
    expect(await listed(`q=%20${encodeURIComponent(owner.who.user.email.toUpperCase())}`)).toEqual([row]);
    await owner.call("POST", `/instances/${id}/disconnect`);
    expect(await listedSoon(`user_id=${owner.who.user.id}`, ([one]) => one?.["bridge_id"] === null)).toMatchObject([
      { status: "disconnected", status_reason: "manual", rss_mb: null },
    ]);
  });

  it("is read in pages, oldest first, and shows no instance twice", async () => {
    const owner = await holder();
    for (let n = 0; n < 3; n++) await instanceOf(owner.call);
    const page = async (cursor: string) => (await admin.call("GET", `/admin/instances?user_id=${owner.who.user.id}&limit=2${cursor}`)).body;
    const first = await page("");
    const second = await page(`&cursor=${first.next_cursor}`);
    expect([first.data.length, second.data.length, second.next_cursor]).toEqual([2, 1, null]);
    expect(new Set([...first.data, ...second.data].map(({ id }: { id: string }) => id)).size).toBe(3);
  });

  it.each([
    ["its user", { userId: "u" }, "connection_owner"],
    ["its status", { status: "connected" as const }, "connection_state_status"],
    ["its bridge", { bridgeId: "b" }, "connection_state_bridge"],
  ])("finds an instance by %s over an index", async (_what, filter, index) => {
    const none = { userId: null, status: null, bridgeId: null, q: null };
    const { sql, params } = listAllInstances(env.DB, { ...none, ...filter }, { after: 0, limit: 50 }).toSQL();
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...params)
      .all<{ detail: string }>();
    const plan = results.map(({ detail }) => detail).join("; ");
    expect(plan).toContain(index);
    expect(plan).not.toMatch(/SCAN/);
  });
});

describe("the list of bridges", () => {
  it("shows each with its load, and what it says of itself", async () => {
    const bridge = await dial({ capacity: 7, startedAt: 1_760_000_000_000 });
    bridge.say({ type: "load", sessions: 3, rss_mb: 210.5, cpu: 0.125 });
    const own = async () => (await bridgesSeen()).find(({ id }) => id === bridge.id);
    await vi.waitUntil(async () => ((await own()) as { rss_mb?: number }).rss_mb === 210.5, { timeout: 60_000 });
    expect(await own()).toMatchObject({
      region: null,
      network: "local",
      sessions: 0,
      capacity: 7,
      cpu: 0.125,
      started_at: "2025-10-09T08:53:20.000Z",
      draining: false,
      connected: true,
    });
  });
});

describe("moving an instance", () => {
  it("brings it to the bridge that is named, and is entered in the audit log", async () => {
    const one = await dial();
    const { id } = await connected(one);
    const two = await dial();
    const moving = admin.call("POST", `/admin/instances/${id}/move`, { bridge_id: two.id, reason: "one is slow" });
    await arrive(two.open(id));
    const { status, body } = await moving;
    expect([status, body]).toEqual([200, { message: `The instance is on the bridge ${two.id}.` }]);
    const [entry] = (await admin.call("GET", `/admin/audit?target=${id}`)).body.data;
    expect(entry).toMatchObject({
      action: "moveInstance",
      reason: "one is slow",
      before: { bridge_id: one.id },
      after: { bridge_id: two.id },
      outcome: "done",
    });
    await listedSoon(`bridge_id=${two.id}`, (rows) => rows.some((row) => row["id"] === id));
  });

  it("reports why it is refused", async () => {
    const one = await dial();
    const { id } = await connected(one);
    const code = async (target: string, body: object) => codeOf(await admin.call("POST", `/admin/instances/${target}/move`, body));
    expect(await code(crypto.randomUUID(), {})).toEqual([404, "instance_not_found"]);
    expect(await code(id, { bridge_id: "nobody" })).toEqual([404, "bridge_not_found"]);
    expect(await code(id, { bridge_id: one.id })).toEqual([409, "already_on_bridge"]);
    expect(await code(id, {})).toEqual([409, "bridge_full"]);
    const owner = await holder();
    const unconnected = await instanceOf(owner.call);
    expect(await code(unconnected.id, {})).toEqual([409, "instance_not_connected"]);
    await env.DB.prepare("UPDATE connection SET kind = 'cloud_api' WHERE uuid = ?").bind(unconnected.id).run();
    expect(await code(unconnected.id, {})).toEqual([409, "without_session"]);
  });
});

describe("the client version", () => {
  const VERSION = "2.3000.1999999999";
  const set = (body: object) => admin.call("PUT", "/admin/client-version", body);
  afterEach(() => set({}));

  it("is sent to all bridges when it is set, and to bridges that connect later", async () => {
    const one = await dial();
    const { status, body } = await set({ version: VERSION, reason: "405 everywhere" });
    expect([status, body]).toEqual([200, { data: { version: VERSION, max: null } }]);
    const frame = { type: "client_version", version: VERSION, max: null };
    expect(await one.control.next("client_version", ({ version }) => version === VERSION)).toEqual(frame);
    const later = await dial();
    expect(await later.control.next("client_version")).toEqual(frame);
    expect((await admin.call("GET", "/admin/client-version")).body).toEqual({ data: { version: VERSION, max: null } });
    await set({ max: VERSION });
    expect(await one.control.next("client_version")).toEqual({ type: "client_version", version: null, max: VERSION });
    const { data } = (await admin.call("GET", "/admin/audit?target=client_version&limit=2")).body;
    expect(data).toMatchObject([
      { action: "setClientVersion", before: { version: VERSION, max: null }, after: { version: null, max: VERSION } },
      { action: "setClientVersion", after: { version: VERSION, max: null }, reason: "405 everywhere", outcome: "done" },
    ]);
  });

  it("is listed as each bridge announces it, and is null for bridges of earlier releases", async () => {
    const [bridge, earlier] = [await dial(), await dial()];
    const client_version = { version: "2.3000.5", source: "served" } as const;
    bridge.say({ type: "load", sessions: 0, rss_mb: 200.5, cpu: 0, client_version, served_version: "2.3000.6" });
    earlier.say({ type: "load", sessions: 0, rss_mb: 201.5, cpu: 0 });
    const shown = async (id: string) => (await bridgesSeen()).find((one) => one.id === id) as { rss_mb?: number } | undefined;
    await vi.waitUntil(async () => (await shown(earlier.id))?.rss_mb === 201.5, { timeout: 60_000 });
    expect(await shown(bridge.id)).toMatchObject({ client_version, served_version: "2.3000.6" });
    expect(await shown(earlier.id)).toMatchObject({ client_version: null, served_version: null });
  });

  it("is refused if invalid, and to customers", async () => {
    expect((await set({ version: "new" })).status).toBe(400);
    const customer = await holder();
    expect((await customer.call("PUT", "/admin/client-version", { version: VERSION })).status).toBe(403);
  });
});

describe("draining a bridge", () => {
  it("moves its sessions, ends it, and is entered in the audit log", async () => {
    const one = await dial();
    const { id } = await connected(one);
    expect(codeOf(await admin.call("POST", `/admin/bridges/${one.id}/drain`, {}))).toEqual([409, "bridge_full"]);
    const two = await dial();
    const { status } = await admin.call("POST", `/admin/bridges/${one.id}/drain`, { reason: "new image" });
    expect(status).toBe(200);
    await arrive(two.open(id));
    expect(await one.control.next("drain")).toEqual({ type: "drain" });
    const { data } = (await admin.call("GET", `/admin/audit?target=${one.id}`)).body;
    expect(data).toMatchObject([
      { action: "drainBridge", outcome: "done", reason: "new image", before: { draining: false, sessions: 1 }, after: { draining: true } },
      { action: "drainBridge", outcome: "refused", failure: "bridge_full" },
    ]);
    expect(codeOf(await admin.call("POST", "/admin/bridges/nobody/drain", {}))).toEqual([404, "bridge_not_found"]);
  });
});
