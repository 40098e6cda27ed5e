// No stream or other read reveals data that a route refuses to the caller, such as the QR code, which could link a phone.
import { afterEach, describe, expect, it, vi } from "vitest";
import { ROUTES } from "#root/src/api/account/routes.ts";
import { DASHBOARD_ROUTES } from "#root/src/api/dashboard.ts";
import { qrImage } from "@gateway/domain/instance/qr-image.ts";
import { event, TestConnection } from "../fakes/connection.ts";
import { CustomerServer } from "../support/account-session.ts";
import { callsWith, codeOf, holder, keyOf } from "../support/accounts.ts";
import { allLeft, EventStream } from "../support/event-stream.ts";
import { gateway } from "../support/gateway.ts";
import { someone } from "../support/people.ts";

const ask = gateway();
const connections: TestConnection[] = [];
afterEach(async () => {
  await allLeft();
  for (const connection of connections.splice(0)) await connection.end();
  vi.restoreAllMocks();
});

/** A connection being paired, its owner, and a guest who may only view it. */
async function pairing() {
  const { who, key } = await holder();
  const connection = await TestConnection.create({ owner_id: who.user.id });
  connections.push(connection);
  const viewer = await someone();
  await ask(`/api/dashboard/connections/${connection.record.id}/shares`, {
    method: "POST",
    headers: who.headers,
    body: JSON.stringify({ email: viewer.user.email, role: "viewer" }),
  });
  const bridge = await connection.bridge();
  await connection.ask("instance.connect", { force_new_pairing: false });
  return { connection, who, key, viewer, session: await bridge.open(connection.uuid) };
}

it("a key with the scope read and a viewer get all events but the QR, also after a hibernation", async () => {
  const { connection, who, key, viewer, session } = await pairing();
  const path = `/api/instances/${connection.uuid}/events`;
  const listen = async (headers: Record<string, string>) => EventStream.from(await ask(path, { headers }));
  const { key: reading } = await keyOf(who, { scopes: ["read"] });
  const managing = await listen({ "x-api-key": key });
  const others = [await listen({ "x-api-key": reading }), await listen(viewer.headers)];
  await connection.evict();
  await session.commit([event.qr(1)]);
  await session.commit([event.paired(), event.open()]);
  expect(await managing.next()).toMatchObject({ event: "instance.qr" });
  for (const stream of [managing, ...others]) expect(await stream.next()).toMatchObject({ event: "instance.connected" });
  const refused = await callsWith({ "x-api-key": reading })("GET", `/instances/${connection.uuid}/events?events=instance.qr`);
  expect(codeOf(refused)).toEqual([403, "forbidden"]);
});

it("a viewer sees a pairing without its QR", async () => {
  const { connection, viewer, session } = await pairing();
  const path = `/api/dashboard/connections/${connection.record.id}`;
  expect((await ask(`${path}/qr`, { headers: viewer.headers })).status).toBe(403);
  await session.commit([event.qr(1)]);
  const events = await EventStream.from(await ask(`${path}/stream`, { headers: viewer.headers }));
  expect(await events.next()).toMatchObject({ event: "status", data: { status: "scan_qr" } });
  await session.commit([event.qr(2)]);
  await session.commit([event.paired()]);
  expect(await events.next()).toMatchObject({ event: "status", data: { status_reason: "pairing" } });
});

const idsIn = (path: string, ids: Readonly<Record<string, string>>) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "1");
const accountReads = ROUTES.filter(({ method, kind, streams }) => method === "get" && kind !== "public" && !streams);
const dashboardReads = DASHBOARD_ROUTES.map(({ name }) => name).filter(
  (name) => name.startsWith("GET /connections/{id}") && !name.endsWith("/stream"),
);

describe("a waiting QR code", () => {
  const isQr = (text: string) => text.includes("2@qr-1") || text.includes(qrImage("2@qr-1"));

  /** Resolves once both webhooks have received their events. */
  async function scanning() {
    const world = await pairing();
    const { connection, key, session, who } = world;
    const server = new CustomerServer();
    const call = callsWith({ "x-api-key": key });
    const made = await call("POST", "/webhooks", { url: "https://hooks.example.net/", events: ["instance.qr"] });
    await connection.ask("webhook.put", { url: "https://hooks.example.net/own", events: ["instance.status"] });
    await session.commit([event.qr(1)]);
    await server.deliveries(2);
    const webhookId: string = made.body.data.id;
    const { data } = (await call("GET", `/webhooks/${webhookId}/deliveries`)).body;
    const own = await connection.ask("webhook.deliveries", { status: null, event: null, limit: 10, before: null });
    const ids = { instanceId: connection.uuid, webhookId, deliveryId: data[0].id as string };
    return { ...world, call, ids, own: own.ok ? (own.value.items[0]?.id ?? "") : "", who };
  }

  it("is in no response to a key with the scopes read and send, but in responses to a key with manage", async () => {
    const { who, call, ids } = await scanning();
    const reading = callsWith({ "x-api-key": (await keyOf(who, { scopes: ["read", "send"] })).key });
    const shown = async (as: typeof call) => {
      const found: string[] = [];
      for (const { path } of accountReads) if (isQr(JSON.stringify((await as("GET", idsIn(path, ids))).body))) found.push(path);
      return found;
    };
    expect(await shown(reading)).toEqual([]);
    expect(await shown(call)).toEqual(["/instances/{instanceId}/qr", "/webhooks/{webhookId}/deliveries/{deliveryId}"]);
    const { data } = (await reading("GET", `/webhooks/${ids.webhookId}/deliveries/${ids.deliveryId}`)).body;
    expect(data).toMatchObject({ event: "instance.qr", attempts: 1, request_body: null });
  });

  it("is in no dashboard response to a viewer", async () => {
    const { connection, viewer, own } = await scanning();
    const ids = { id: String(connection.record.id), delivery_id: own };
    const statuses: Record<string, number> = {};
    for (const name of dashboardReads) {
      const answer = await ask(`/api/dashboard${idsIn(name.slice("GET ".length), ids)}`, { headers: viewer.headers });
      statuses[name] = answer.status;
      expect([name, isQr(await answer.text())]).toEqual([name, false]);
    }
    expect(statuses).toMatchObject({ "GET /connections/{id}/qr": 403, "GET /connections/{id}/deliveries/{delivery_id}": 200 });
  });
});
