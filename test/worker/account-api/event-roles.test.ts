// Streams tell nobody what the routes refuse them: the QR, with which a phone could be linked.
import { afterEach, expect, it } from "vitest";
import { event, TestConnection } from "../fakes/connection.ts";
import { callsWith, codeOf, holder, keyOf } from "../support/accounts.ts";
import { allLeft, EventStream } from "../support/event-stream.ts";
import { gateway } from "../support/gateway.ts";
import { someone } from "../support/people.ts";

const ask = gateway();
const connections: TestConnection[] = [];
afterEach(async () => {
  await allLeft();
  for (const connection of connections.splice(0)) await connection.end();
});

/** A connection that is being paired, its owner, and somebody who may only look at it. */
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

it("a key with the scope read gets all events but the QR", async () => {
  const { connection, who, key, viewer, session } = await pairing();
  const path = `/api/instances/${connection.uuid}/events`;
  const listen = async (headers: Record<string, string>) => EventStream.from(await ask(path, { headers }));
  const { key: reading } = await keyOf(who, { scopes: ["read"] });
  const managing = await listen({ "x-api-key": key });
  const others = [await listen({ "x-api-key": reading }), await listen(viewer.headers)];
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
