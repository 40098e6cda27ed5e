// Keys of both APIs that work only from some addresses (docs/operate/security.md, "Keys limited to addresses").
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { expectAtMost } from "../../support/promised-times.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";
import { callsWith, holder } from "../support/accounts.ts";
import { freshCustomer } from "../support/customer.ts";
import { evict } from "../support/eviction.ts";
import { allLeft, EventStream } from "../support/event-stream.ts";
import { freshAddress, freshKey, gateway } from "../support/gateway.ts";
import { ended, pathOf } from "./revocations.ts";

const ask = gateway();
const INSIDE = "203.0.113.9";
const LIMITS = { allowed_ips: ["203.0.113.0/24", "2001:db8::/48"] };

afterEach(async () => {
  await allLeft();
  await allEnded();
});

/** The response: status, headers except the request's own, and body. */
async function answerOf(path: string, key: string, address: string): Promise<{ status: number; headers: unknown; body: string }> {
  const answer = await ask(path, { headers: { "x-api-key": key, "cf-connecting-ip": address } });
  const body = (await answer.text()).replace(answer.headers.get("x-request-id") ?? "-", "");
  const headers = [...answer.headers].filter(([name]) => name !== "x-request-id" && name !== "date");
  return { status: answer.status, headers, body };
}

async function limitedCustomer(limits: object = LIMITS) {
  const customer = await freshCustomer();
  const path = `/api/dashboard/connections/${customer.connection.id}/keys`;
  const { headers } = customer.owner;
  const change = (body: object, id = customer.keyId) => ask(`${path}/${id}`, { method: "PATCH", headers, body: JSON.stringify(body) });
  const cards = async () => ((await (await ask(path, { headers })).json()) as { data: Record<string, unknown>[] }).data;
  const changed = await change(limits);
  expect(changed.status).toBe(200);
  return { ...customer, change, cards };
}

describe("a connection key limited to addresses", () => {
  it("works from inside, over IPv4 and IPv6, and is unknown from elsewhere", async () => {
    const { key, connection } = await limitedCustomer();
    for (const address of [INSIDE, "2001:db8:0:5::1"]) expect((await answerOf("/api/v1/instance", key, address)).status).toBe(200);
    const elsewhere = await answerOf("/api/v1/instance", key, freshAddress());
    expect(elsewhere.status).toBe(401);
    expect(elsewhere).toEqual(await answerOf("/api/v1/instance", freshKey().key, freshAddress()));
    await evict(env.CONNECTION.getByName(connection.instance_id));
    expect((await answerOf("/api/v1/instance", key, freshAddress())).status).toBe(401);
    expect((await answerOf("/api/v1/instance", key, INSIDE)).status).toBe(200);
  });

  it("counts refused calls against the caller's address, but not against calls from inside", async () => {
    const { key } = await limitedCustomer();
    const address = freshAddress();
    for (let n = 0; n < 20; n += 1) expect((await answerOf("/api/v1/instance", key, address)).status).toBe(401);
    expect((await answerOf("/api/v1/instance", key, address)).status).toBe(429);
    expect((await answerOf("/api/v1/instance", key, INSIDE)).status).toBe(200);
  });

  it("shows the last refused address on its card and nowhere else", async () => {
    const { key, cards, owner, connection } = await limitedCustomer();
    const address = freshAddress();
    await answerOf("/api/v1/instance", key, address);
    expect(await cards()).toMatchObject([{ ...LIMITS, refused_ip: address, refused_at: expect.any(String) as string }]);
    const exported = await ask(`/api/instances/${connection.instance_id}/export`, { headers: owner.headers });
    const text = await exported.text();
    expect(exported.status).toBe(200);
    expect(text).toContain("203.0.113.0/24");
    expect(text).not.toContain(address);
    expect(text).not.toContain("refused");
  });

  it("is free again when the limit is removed", async () => {
    const { key, change } = await limitedCustomer();
    expect((await change({ allowed_ips: null })).status).toBe(200);
    expect((await answerOf("/api/v1/instance", key, freshAddress())).status).toBe(200);
  });

  it("binds an open stream within a second, and nobody inside", async () => {
    const { call, key, change } = await limitedCustomer({ allowed_ips: null });
    const made = await call("POST", "/listeners", { name: "laptop", events: ["message.received"] });
    const { data } = (await made.json()) as { data: { id: string } };
    const open = (address: string) =>
      ask(`/api/v1/listeners/${data.id}/events`, { headers: { "x-api-key": key, "cf-connecting-ip": address } });
    const address = freshAddress();
    const stream = await EventStream.from(await open(address));
    expect((await change(LIMITS)).status).toBe(200);
    const answeredAt = performance.now();
    await ended(stream);
    expectAtMost("a stream ended after its key was limited", performance.now() - answeredAt, 1_000);
    expect((await open(address)).status).toBe(401);
    await EventStream.from(await open(INSIDE));
  });

  it("refuses bad input by field, and changes nothing", async () => {
    const { change, cards } = await limitedCustomer();
    for (const allowed_ips of [[], ["office"], ["203.0.113.0/33"], Array.from({ length: 21 }, () => INSIDE), INSIDE]) {
      const answer = await change({ allowed_ips });
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("allowed_ips") as string]);
    }
    expect((await change({})).status).toBe(400);
    expect((await change(LIMITS, crypto.randomUUID())).status).toBe(404);
    expect(await cards()).toMatchObject([LIMITS]);
  });
});

describe("a connection key limited to scopes", () => {
  it("reads, but does not send or manage", async () => {
    const { call, change } = await limitedCustomer({ scopes: ["read"] });
    expect((await call("GET", "/chats")).status).toBe(200);
    const refused = await call("POST", "/messages/text", { to: "5511987654321", text: "Olá" });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("escopo_insuficiente") as string]);
    expect((await call("POST", "/instance/connect")).status).toBe(403);
    expect((await call("GET", "/instance/qr")).status).toBe(403);
    expect((await call("GET", "/nowhere")).status).toBe(404);
    expect((await change({ scopes: ["read", "manage"] })).status).toBe(200);
    expect((await call("GET", "/instance/qr")).status).toBe(409);
    expect((await call("POST", "/messages/text", { to: "5511987654321", text: "Olá" })).status).toBe(403);
    expect((await change({ scopes: null })).status).toBe(200);
    expect((await call("POST", "/messages/text", { to: "5511987654321", text: "Olá" })).status).toBe(409);
  });
});

describe("an account key limited to addresses", () => {
  it("works from inside, is unknown from elsewhere, and shows that on its card only", async () => {
    const { who, token } = await holder();
    const made = await token("POST", "/api-keys", { name: "ERP", ...LIMITS });
    expect([made.status, made.body.data.allowed_ips]).toEqual([201, LIMITS.allowed_ips]);
    const { id, key } = made.body.data as { id: string; key: string };
    expect((await answerOf("/api/instances", key, INSIDE)).status).toBe(200);
    const address = freshAddress();
    const elsewhere = await answerOf("/api/instances", key, address);
    const unknown = await holder();
    await unknown.token("DELETE", `/api-keys/${unknown.keyId}`);
    expect(elsewhere.status).toBe(401);
    expect(elsewhere).toEqual(await answerOf("/api/instances", unknown.key, freshAddress()));
    const cards = async () => {
      const answer = await ask("/api/dashboard/account-keys", { headers: who.headers });
      return ((await answer.json()) as { data: { id: string }[] }).data.find((card) => card.id === id);
    };
    await vi.waitFor(async () => expect(await cards()).toMatchObject({ ...LIMITS, refused_ip: address }));
    expect(JSON.stringify((await token("GET", "/api-keys")).body)).not.toContain(address);
  });

  it("counts refused calls against the caller's address, but not against calls from inside", async () => {
    const { token } = await holder();
    const { key } = (await token("POST", "/api-keys", { name: "ERP", ...LIMITS })).body.data as { key: string };
    const address = freshAddress();
    for (let n = 0; n < 20; n += 1) expect((await answerOf("/api/instances", key, address)).status).toBe(401);
    expect((await answerOf("/api/instances", key, address)).status).toBe(429);
    expect((await answerOf("/api/instances", key, INSIDE)).status).toBe(200);
  });

  it("binds an open stream at once", async () => {
    const { keyId, key, token, who } = await holder();
    const connection = await TestConnection.create({ id: 900_001, owner_id: who.user.id });
    const open = (address: string) => ask(pathOf(connection), { headers: { "x-api-key": key, "cf-connecting-ip": address } });
    const address = freshAddress();
    const stream = await EventStream.from(await open(address));
    expect((await token("PATCH", `/api-keys/${keyId}`, LIMITS)).body.data).toMatchObject(LIMITS);
    await ended(stream);
    expect((await open(address)).status).toBe(401);
    await EventStream.from(await open(INSIDE));
  });

  it("can be changed by its user alone, not by a key", async () => {
    const { keyId, call, token } = await holder();
    expect((await call("PATCH", `/api-keys/${keyId}`, LIMITS)).status).toBe(403);
    const other = await holder();
    expect((await other.token("PATCH", `/api-keys/${keyId}`, LIMITS)).status).toBe(404);
    expect((await token("PATCH", `/api-keys/${keyId}`, { scopes: ["admin"] })).status).toBe(403);
    const bad = await token("PATCH", `/api-keys/${keyId}`, { allowed_ips: ["203.0.113.0/40"] });
    expect([bad.status, JSON.stringify(bad.body)]).toEqual([400, expect.stringContaining("allowed_ips") as string]);
    const changed = await token("PATCH", `/api-keys/${keyId}`, { name: "Só leitura", scopes: ["read"] });
    expect(changed.body.data).toMatchObject({ name: "Só leitura", scopes: ["read"], allowed_ips: null });
    expect((await callsWith({ "x-api-key": "x" })("GET", "/instances")).status).toBe(401);
    expect((await call("GET", "/instances")).status).toBe(200);
  });
});
