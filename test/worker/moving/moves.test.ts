// Connections leave and arrive through the routes of the worker for moves (docs/operate/moving.md, "To and from the edge").
import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { createApp } from "#root/src/app.ts";
import type { Env } from "#root/src/env.ts";
import { never } from "#root/src/http/response-headers.ts";
import { moveRoutes } from "#root/src/moving/routes.ts";
import { mediaKey, makeMediaToken } from "@gateway/domain/media/media-link.ts";
import type { ConnectionRecord } from "@gateway/protocol/connection.ts";
import { TestConnection } from "../fakes/connection.ts";
import { holder } from "../support/accounts.ts";
import { evict } from "../support/eviction.ts";
import { APP } from "../support/gateway.ts";

const SECRET = "a secret of two gateways, long enough";
const TARGET = "gateway-of-another-machine";
const FILE = new TextEncoder().encode("a picture");

const app = createApp({ plainHttpAllowed: never, extend: (routed) => routed.route("/move", moveRoutes()) });
const bindings = { ...env, CONNECTION: env.MOVING, MOVE_SECRET: SECRET } as unknown as Env;

async function ask(method: string, path: string, body?: unknown, secret = SECRET) {
  const sent = body === undefined ? null : body instanceof Uint8Array ? body : JSON.stringify(body);
  const headers = { authorization: `Bearer ${secret}`, "x-file-metadata": encodeURIComponent('{"http":{},"custom":{}}') };
  const answer = await app.fetch(
    new Request(`${APP}/move/${path}`, { method, body: sent as BodyInit | null, headers }),
    bindings,
    createExecutionContext(),
  );
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const isJson = answer.headers.get("content-type")?.includes("json") ?? false;
  return { status: answer.status, bytes, body: isJson ? JSON.parse(new TextDecoder().decode(bytes)) : null };
}

const inObject = <Result>(uuid: string, act: (sql: SqlStorage) => Result): Promise<Result> =>
  runInDurableObject(env.MOVING.getByName(uuid), (_object, { storage }) => act(storage.sql));
const valuesOf = (uuid: string) =>
  inObject(uuid, (sql) => ({
    rows: sql.exec<{ value: string }>("SELECT value FROM state_row").toArray(),
    wants: sql.exec<{ status: string }>("SELECT state ->> '$.status' AS status FROM instance").toArray(),
    marks: sql.exec("SELECT name FROM sqlite_master WHERE name = 'gateway_part'").toArray(),
  }));

/** A connection whose session would start again if it could, with one stored credential and one file. */
async function used() {
  const { who } = await holder();
  const connection = new TestConnection();
  await connection.enterIntoD1();
  await env.DB.prepare("UPDATE connection SET owner_id = ? WHERE uuid = ?").bind(who.user.id, connection.uuid).run();
  const { uuid } = connection;
  await env.MOVING.getByName(uuid).configure({ ...connection.record, owner_id: who.user.id });
  await inObject(uuid, (sql) => sql.exec("INSERT INTO state_row (key, value) VALUES ('creds', 'sealed by the bridge')"));
  const token = makeMediaToken(crypto.getRandomValues(new Uint8Array(16)), uuid, Date.now());
  await env.MEDIA.put(mediaKey(token), FILE);
  return { uuid, token, email: who.user.email };
}

it("a connection leaves once, for one target, and nothing of its session stays", async () => {
  const { uuid, token } = await used();
  const row = await env.DB.prepare("SELECT id FROM connection WHERE uuid = ?").bind(uuid).first<{ id: number }>();
  const found = { uuid, name: "Loja", away: null, departing: { bytes: expect.any(Number), schema: expect.any(Object), moves: [] } };
  for (const named of [uuid, row?.id]) expect((await ask("GET", `${named}`)).body).toEqual(found);
  expect(
    await ask("POST", `${row?.id}/departure`, { target: TARGET }),
    "only the uuid names a connection, because ids differ at the target",
  ).toMatchObject({
    status: 404,
  });
  expect((await ask("POST", `${uuid}/departure`, { target: TARGET }, "a wrong secret of enough letters for all")).status).toBe(401);
  const logged = vi.spyOn(console, "log");
  const left = await ask("POST", `${uuid}/departure`, { target: TARGET });
  const written = logged.mock.calls.flat().join();
  expect(written).toContain(`{"event":"connection.departed","connection":"${uuid}","target":"${TARGET}","address":"unknown"}`);
  expect(written).not.toContain(SECRET);
  logged.mockRestore();
  expect(left).toMatchObject({ status: 200, body: { uuid, parts: 1, media: [token], connection: { name: "Loja", uuid } } });
  expect(await valuesOf(uuid)).toMatchObject({ rows: [], wants: [{ status: "disconnected" }] });
  expect(await ask("POST", `${uuid}/departure`, { target: "gateway-of-a-third" })).toMatchObject({
    status: 409,
    body: { problem: expect.stringContaining(`has moved to ${TARGET}`) },
  });
  const again = await ask("POST", `${uuid}/departure`, { target: TARGET });
  expect(again.body, "an interrupted import may ask again").toMatchObject({ id: left.body.id, parts: 1 });
  const part = await ask("GET", `${uuid}/parts/0`);
  expect(new TextDecoder().decode(part.bytes)).toContain("sealed by the bridge");
  expect((await ask("GET", `${uuid}/media/${token}`)).bytes).toEqual(FILE);
  expect((await ask("DELETE", `${uuid}/parts`)).status).toBe(204);
  expect(await ask("POST", `${uuid}/departure`, { target: TARGET })).toMatchObject({ status: 409 });
  expect(await env.DB.prepare("SELECT name FROM connection WHERE uuid = ?").bind(uuid).first()).toEqual({ name: "Loja (moved)" });
});

const SMALL = { bytes: 0, schema: { session: 1 }, moves: [] as string[] };

it("a connection arrives whole, and copies from before the last move are refused", async () => {
  const { uuid, token, email } = await used();
  const { body: left } = await ask("POST", `${uuid}/departure`, { target: TARGET });
  const { bytes } = await ask("GET", `${uuid}/parts/0`);
  const arriving = {
    id: left.id,
    owner: email,
    parts: 1,
    keys: left.keys,
    connection: left.connection,
    key_secret: left.key_secret,
    departing: SMALL,
  };
  expect(await ask("POST", `${uuid}/arrival`, arriving), "the gateway that it left refuses the copy").toMatchObject({
    status: 409,
    body: { problem: expect.stringContaining("has moved on since") },
  });
  expect((await valuesOf(uuid)).rows).toEqual([]);

  const there = crypto.randomUUID();
  // An id that no connection of a later test gets.
  const row = { ...left.connection, id: 2_000_000_000, uuid: there };
  const free = await ask("POST", `${there}/arrival`, { ...arriving, connection: row, parts: 0 });
  expect(free).toMatchObject({ status: 200, body: { isFree: true } });
  expect(await ask("POST", `${there}/arrival`, { ...arriving, connection: row })).toMatchObject({
    status: 409,
    body: { problem: "part 0 is missing; repeat the command" },
  });
  expect((await ask("PUT", `${there}/parts/0`, bytes)).status).toBe(204);
  const arrived = await ask("POST", `${there}/arrival`, { ...arriving, connection: row });
  expect(arrived).toMatchObject({ status: 200, body: { isFree: false, merged: null, keysWork: true } });
  expect(await valuesOf(there)).toEqual({ rows: [{ value: "sealed by the bridge" }], wants: [{ status: "disconnected" }], marks: [] });
  expect(await env.MOVING.getByName(there).dataKeys(there)).toEqual(left.keys);
  const repeated = await ask("POST", `${there}/arrival`, { ...arriving, connection: row, parts: 0 });
  expect(repeated, "an interrupted export may ask again").toMatchObject({ status: 200, body: { isFree: false } });
  const other = { ...arriving, id: crypto.randomUUID(), connection: row };
  expect(await ask("POST", `${there}/arrival`, other)).toMatchObject({
    status: 409,
    body: { problem: expect.stringContaining("already") },
  });
  expect((await ask("PUT", `${there}/media/${token}`, FILE)).status, "a file of another connection is refused").toBe(500);
});

/** With a session that a bridge lost, and a delivery that waits for each of the two webhooks. */
async function waiting(): Promise<string> {
  const { uuid } = await used();
  await inObject(uuid, (sql) => {
    const lease = JSON.stringify({ phase: "detached", since: Date.now() });
    sql.exec("UPDATE instance SET state = json_set(state, '$.status', 'connecting', '$.reason', 'moving', '$.paired', json('true'))");
    sql.exec("UPDATE instance SET state = json_set(state, '$.lease', json(?), '$.announced.status', 'connected')", lease);
    for (const [queue, style] of [
      [1, "account"],
      [2, "connection"],
    ] as const) {
      sql.exec(
        `INSERT INTO endpoint (queue_id, style, id, url, events, headers, retries, timeout_ms, active, created_at)
         VALUES (?, ?, 'hook', 'https://example.com/', '["instance.disconnected","instance.status"]', '{}', 1, 1000, 1, 1)`,
        queue,
        style,
      );
      const due = Date.now() + 3_600_000;
      const columns = "seq, id, queue_id, body, size, type, created_at, state, failures, due_at, text";
      sql.exec(`INSERT INTO delivery (${columns}) VALUES (?, ?, ?, 1, 1, 'x', 1, 1, 1, ?, '{}')`, queue, `for the ${style}`, queue, due);
    }
  });
  await evict(env.MOVING.getByName(uuid));
  return uuid;
}

const deliveriesAt = (uuid: string) =>
  inObject(uuid, (sql) =>
    sql
      .exec<{ id: string }>("SELECT id FROM delivery ORDER BY seq")
      .toArray()
      .map(({ id }) => id),
  );
const lines = async (uuid: string) => new TextDecoder().decode((await ask("GET", `${uuid}/parts/0`)).bytes);

it("a departure leaves the account's deliveries behind, and announces no suspension", async () => {
  const uuid = await waiting();
  expect(await ask("POST", `${uuid}/departure`, { target: TARGET })).toMatchObject({ status: 200 });
  expect(await deliveriesAt(uuid)).toEqual(["for the account"]);
  const parts = await lines(uuid);
  expect(parts).toContain("for the connection");
  expect(parts).not.toContain("for the account");
  expect(parts).not.toContain("account_suspended");
});

it("a connection that returns gets the account's deliveries that waited here", async () => {
  const uuid = await waiting();
  const { body: left } = await ask("POST", `${uuid}/departure`, { target: TARGET });
  // The other gateway adds its own move.
  const id = crypto.randomUUID();
  const returning = (await lines(uuid)).replace(
    new RegExp(`^\\["${left.id}",.*$`, "m"),
    (row) => `${row}\n${JSON.stringify([id, Date.now()])}`,
  );
  await ask("DELETE", `${uuid}/parts`);
  await ask("PUT", `${uuid}/parts/0`, new TextEncoder().encode(returning));
  const { keys, connection, key_secret } = left;
  const arriving = { id, owner: null, parts: 1, keys, connection, key_secret, departing: { ...SMALL, moves: [left.id] } };
  expect(await ask("POST", `${uuid}/arrival`, arriving)).toMatchObject({ status: 200, body: { isFree: false } });
  expect(await deliveriesAt(uuid)).toEqual(["for the account", "for the connection"]);
});

it("a failed departure leaves the connection as it was, with its proxy and without a suspension notice", async () => {
  const uuid = await waiting();
  const stub = env.MOVING.getByName(uuid);
  const proxied = await runInDurableObject(stub, (object, { storage }) => {
    const record = JSON.parse(storage.sql.exec<{ record: string }>("SELECT record FROM identity").one().record) as ConnectionRecord;
    object.configure({ ...record, proxy_url: "http://ana:secret@proxy.example.com:8080" });
    // The move cannot be entered.
    storage.sql.exec("CREATE TABLE gateway_move (id TEXT PRIMARY KEY, at INTEGER NOT NULL CHECK (at < 0))");
    return storage.sql.exec("SELECT hex(proxy) AS proxy FROM identity WHERE proxy IS NOT NULL").toArray().length;
  });
  expect(proxied).toBe(1);
  expect(await ask("POST", `${uuid}/departure`, { target: TARGET })).toMatchObject({
    status: 409,
    body: { problem: expect.stringContaining("CHECK constraint") },
  });
  const after = await inObject(uuid, (sql) =>
    sql.exec("SELECT record ->> '$.owner_suspended' AS suspended, proxy IS NOT NULL AS proxied FROM identity").one(),
  );
  expect(after).toEqual({ suspended: 0, proxied: 1 });
  const told = await inObject(uuid, (sql) => sql.exec("SELECT 1 FROM delivery WHERE text LIKE '%account_suspended%'").toArray());
  expect(told).toEqual([]);
});

it("a connection is not removed while its copy is here, and can still be fetched", async () => {
  const { uuid } = await used();
  const { body: left } = await ask("POST", `${uuid}/departure`, { target: TARGET });
  const stub = env.MOVING.getByName(uuid);
  // As the dashboard deletes it, and the watchdog afterwards.
  await env.DB.prepare("UPDATE connection SET removed_at = 1, name = '', settings = '{}' WHERE uuid = ?").bind(uuid).run();
  await stub.wipe();
  await stub.remove();
  const again = await ask("POST", `${uuid}/departure`, { target: TARGET });
  expect(again).toMatchObject({ status: 200, body: { id: left.id, connection: { name: "Loja", removed_at: null }, parts: 1 } });
  expect(await lines(uuid)).toContain("sealed by the bridge");
  expect((await ask("DELETE", `${uuid}/parts`)).status).toBe(204);
  expect((await ask("GET", uuid)).status).toBe(404);
  await stub.wipe();
  expect((await stub.whereabouts()).isUsed).toBe(false);
});

it("a number that was paired again moves as a new connection, once its earlier copy is away", async () => {
  const { uuid, email } = await used();
  const { body: left } = await ask("POST", `${uuid}/departure`, { target: TARGET });
  await inObject(uuid, (sql) => {
    sql.exec("UPDATE instance SET state = json_set(state, '$.paired', json('true'))");
    sql.exec("INSERT INTO state_row (key, value) VALUES ('creds', 'of the new device')");
  });
  await evict(env.MOVING.getByName(uuid));
  const early = await ask("POST", `${uuid}/departure`, { target: "gateway-of-a-third" });
  expect(early).toMatchObject({ status: 409, body: { problem: expect.stringContaining(`paired here again before ${TARGET} had it`) } });
  const arriving = { id: crypto.randomUUID(), owner: email, parts: 0, keys: [], connection: left.connection, key_secret: left.key_secret };
  expect(await ask("POST", `${uuid}/arrival`, { ...arriving, departing: { ...SMALL, moves: [left.id] } })).toMatchObject({
    status: 409,
    body: { problem: "the gateway already has the connection" },
  });
  expect((await ask("DELETE", `${uuid}/parts`)).status).toBe(204);
  const again = await ask("POST", `${uuid}/departure`, { target: "gateway-of-a-third" });
  expect(again).toMatchObject({ status: 200, body: { uuid, parts: 1 } });
  expect(again.body.id).not.toBe(left.id);
  expect(new TextDecoder().decode((await ask("GET", `${uuid}/parts/0`)).bytes)).toContain("of the new device");
});

it("an arrival is refused for an owner without an account, and a departure of an unknown connection too", async () => {
  const { uuid } = await used();
  const { body: left } = await ask("POST", `${uuid}/departure`, { target: TARGET });
  const arriving = { id: left.id, parts: 0, keys: [], connection: left.connection, key_secret: left.key_secret, departing: SMALL };
  const there = crypto.randomUUID();
  for (const owner of [null, "nobody@example.com"]) {
    expect(await ask("POST", `${there}/arrival`, { ...arriving, owner })).toMatchObject({
      status: 409,
      body: { problem: expect.stringContaining("--owner") },
    });
  }
  expect(await ask("POST", `${there}/departure`, { target: TARGET })).toMatchObject({ status: 404 });
  expect((await ask("POST", `${there}/arrival`, { owner: 7 })).status).toBe(422);
});

it("an arrival is refused if the connection is too large, of a newer release, or has moved on since", async () => {
  const { uuid, email } = await used();
  const { body: left } = await ask("POST", `${uuid}/departure`, { target: TARGET });
  const arriving = { id: crypto.randomUUID(), owner: email, parts: 0, keys: [], connection: left.connection, key_secret: left.key_secret };
  const answer = async (departing: object, to: string = crypto.randomUUID()) =>
    (await ask("POST", `${to}/arrival`, { ...arriving, departing })).body;
  expect(await answer({ ...SMALL, bytes: (128 << 20) + 1 })).toEqual({
    problem: "the connection has 129 MB, and a gateway that runs takes at most 128 MB",
  });
  expect(await answer({ ...SMALL, schema: { session: 99 } })).toMatchObject({ problem: expect.stringContaining("newer release") });
  expect(await answer(SMALL, uuid)).toMatchObject({ problem: expect.stringContaining("has moved on since") });
  expect(await answer({ ...SMALL, moves: [left.id] }, uuid)).toEqual({ isFree: true });
});

it("a cancelled move is no longer accepted, and the copy of a connection that left is kept", async () => {
  const { uuid, email } = await used();
  const { body: left } = await ask("POST", `${uuid}/departure`, { target: TARGET });
  const { bytes } = await ask("GET", `${uuid}/parts/0`);
  const there = crypto.randomUUID();
  const row = { ...left.connection, id: 2_000_000_001, uuid: there };
  const { id, keys, key_secret } = left;
  const arriving = { id, owner: email, parts: 1, keys, connection: row, key_secret, departing: { ...SMALL, moves: [id] } };
  const cancel = (at: string) => ask("POST", `${at}/cancellation`, { id, moves: [id] });
  await ask("PUT", `${there}/parts/0`, bytes);
  expect(await cancel(there)).toMatchObject({ status: 200, body: { isCancelled: true } });
  expect(await ask("POST", `${there}/arrival`, arriving)).toMatchObject({ status: 409 });
  await ask("PUT", `${there}/parts/0`, bytes);
  expect(await ask("POST", `${there}/arrival`, arriving)).toMatchObject({ status: 200 });
  expect(await cancel(there)).toMatchObject({ body: { isCancelled: false } });
  const foreign = await ask("POST", `${uuid}/cancellation`, { id: crypto.randomUUID(), moves: [] });
  expect(foreign).toMatchObject({ body: { isCancelled: true } });
  expect((await ask("GET", `${uuid}/parts/0`)).status).toBe(200);
});
