// No route and no frame gives a bridge access to another bridge's connection (docs/operate/security.md, "Bridge credentials"). The bridge
// `mine` attacks; the bridge `theirs` holds the connection. Routes and frames are listed in tables, so a new one fails the test until a case covers it.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { bindTicket, makeExitTicket } from "@gateway/domain/keys/bridge-credential.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { internalRoutes } from "#root/src/internal/routes.ts";
import { FromBridgeControl, type ToBridgeControl } from "@gateway/protocol/bridge-socket.ts";
import { BridgeHome, INTERNAL, SESSION_TICKET_HEADER } from "@gateway/protocol/internal-http.ts";
import { FromBridge, SESSION_CLOSE, type ToBridge } from "@gateway/protocol/session-socket.ts";
import { openMedia } from "#root/src/services/media/open.ts";
import { storeMedia } from "#root/src/services/media/store.ts";
import { bridgeHeaders, type FakeBridge, FakeSession, pool } from "../fakes/bridge.ts";
import { allEnded, event, TestConnection } from "../fakes/connection.ts";
import { Frames } from "../fakes/frames.ts";
import { gateway } from "../support/gateway.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

const ROWS: [string, string][] = [["creds|me", "AAAA"]];
const ask = gateway();

type Party = { connection: TestConnection; bridge: FakeBridge; session: FakeSession; mediaToken: string };
let mine: Party;
let theirs: Party;

beforeEach(async () => {
  // Alarms use the real clock, so none fires during a test.
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
  theirs = await party("theirs");
  mine = await party("mine");
});
afterEach(async () => {
  await allEnded();
  await runInDurableObject(pool(), (_object, { storage }) => storage.sql.exec("DELETE FROM bridge; DELETE FROM placement"));
  await evictDurableObject(pool());
  vi.useRealTimers();
});

async function party(id: string): Promise<Party> {
  const connection = await TestConnection.create();
  const bridge = await connection.bridge({ id, capacity: 1 });
  await connection.ask("instance.connect", { force_new_pairing: false });
  const session = await bridge.open(connection.uuid);
  await session.commit([event.open()], ROWS);
  const facts = { connection: connection.uuid, sizeBytes: 1, mimetype: "image/png", filename: null, expiresAt: Date.now() + HOUR_MS };
  const mediaToken = (await storeMedia(env.MEDIA, facts, new Response("a").body as ReadableStream)) ?? "";
  return { connection, bridge, session, mediaToken };
}

/** Calls with the credential of `mine`. */
async function call(path: string, init: RequestInit = {}): Promise<Response> {
  return ask(path, { ...init, headers: { ...bridgeHeaders("mine"), ...(init.headers as Record<string, string>) } });
}

async function dial<F extends { type: string }>(path: string, headers: Record<string, string> = {}): Promise<Frames<F>> {
  const { webSocket, status } = await call(path, { headers: { upgrade: "websocket", ...headers } });
  if (webSocket === null) throw new Error(`no WebSocket but ${status}`);
  return new Frames<F>(webSocket);
}

/** The worker rejects it before it reaches the object, which would reject it too. */
async function dialSession(ticket: string): Promise<Frames<ToBridge>> {
  const path = INTERNAL.session(theirs.connection.uuid);
  const headers = { upgrade: "websocket", [SESSION_TICKET_HEADER]: ticket };
  expect((await call(path, { headers })).status).toBe(404);
  const { webSocket } = await theirs.connection.stub.fetch(`https://gateway${path}`, { headers: { ...bridgeHeaders("mine"), ...headers } });
  if (webSocket === null) throw new Error("no WebSocket");
  return new Frames<ToBridge>(webSocket);
}

/** An unused ticket that the pool issued to `theirs`. */
async function ticketOfTheirs(): Promise<string> {
  await theirs.connection.ask("instance.restart", {});
  return (await theirs.bridge.control.next("open")).ticket;
}

/** The connection has not moved, has kept its data, and its session ticket is still valid. */
async function expectUntouched(): Promise<void> {
  const { bridges } = await pool().list();
  expect(bridges.find(({ id }) => id === "theirs")).toMatchObject({ assigned: 1, connected: true, draining: false });
  expect(await theirs.connection.status()).toBe("connected/ok");
  expect(await theirs.connection.sql("SELECT key, value FROM state_row")).toEqual(ROWS.map(([key, value]) => ({ key, value })));
  const again = await theirs.session.redial();
  expect(again.stateKey).not.toBe("");
  await again.commit([]);
}

const hello = { type: "hello", bridge_id: "theirs", network: "local", capacity: 10, sessions: [] } as const;

/** Every route for bridges: method and path under /internal. */
const ROUTES: Record<string, () => Promise<void>> = {
  // Requires a check's ticket, which is not tied to a connection.
  "GET /exit-address": async () => {
    const asked = await call(INTERNAL.exitAddress, { headers: { "cf-connecting-ip": "198.51.100.7" } });
    expect(asked.status).toBe(401);
    const ticket = makeExitTicket(settingsOf(env as Env).BRIDGE_SECRET, Date.now());
    const headers = { authorization: `Bearer ${ticket}`, "cf-connecting-ip": "198.51.100.7", "cf-ipcountry": "BR" };
    const answered = await call(INTERNAL.exitAddress, { headers });
    expect([answered.status, await answered.json()]).toEqual([200, { ip: "198.51.100.7", country: "BR" }]);
    const late = makeExitTicket(settingsOf(env as Env).BRIDGE_SECRET, Date.now() - HOUR_MS);
    expect((await call(INTERNAL.exitAddress, { headers: { authorization: `Bearer ${late}` } })).status).toBe(401);
  },
  "GET /bridges": async () => {
    const control = await dial<ToBridgeControl>(INTERNAL.bridges);
    control.send({ ...hello, sessions: [{ connection: theirs.connection.uuid, generation: theirs.session.generation }] });
    expect(await control.closed).toMatchObject({ code: 1008 });
    expect(control.rest).toEqual([]);
  },
  "GET /bridges/home": async () => {
    const home = BridgeHome.parse(await (await call(`${INTERNAL.home}?region=weur&bridge=theirs`)).json());
    expect(home).toEqual({ pool: "default", credential: bridgeHeaders("mine").authorization.slice(7) });
  },
  "GET /sessions/:connection": async () => {
    for (const ticket of [theirs.session.ticket, mine.session.ticket, theirs.session.ticket.split(".")[0] ?? "", ""]) {
      const session = await dialSession(ticket);
      session.send({ type: "hello", generation: theirs.session.generation, bridge_id: "theirs", has_state: false });
      expect(await session.closed).toMatchObject({ code: SESSION_CLOSE.fenced });
      expect(session.rest).toEqual([]);
    }
  },
  "PUT /media/:connection": async () => {
    const before = (await env.MEDIA.list()).objects.length;
    const answer = await call(INTERNAL.mediaUpload(theirs.connection.uuid), {
      method: "PUT",
      body: "a",
      headers: { "content-length": "1" },
    });
    expect(answer.status).toBe(403);
    expect((await env.MEDIA.list()).objects).toHaveLength(before);
  },
  "GET /media/:connection/:token": async () => {
    expect((await call(INTERNAL.media(theirs.connection.uuid, theirs.mediaToken))).status).toBe(403);
    expect((await call(INTERNAL.media(mine.connection.uuid, theirs.mediaToken))).status).toBe(410);
    await (await openMedia(env.MEDIA, theirs.mediaToken, Date.now()))?.body.cancel();
  },
};

/** A new proxy, and the pool's request that `theirs` check it. */
async function checkOfTheirs(): Promise<{ id: string; check: string }> {
  const id = crypto.randomUUID();
  await env.DB.prepare("INSERT INTO proxy (id, label, protocol, host, port, created_at) VALUES (?, 'p', 'http', 'proxy.example.com', 1, 0)")
    .bind(id)
    .run();
  return { id, check: bindTicket(settingsOf(env as Env).BRIDGE_SECRET, `${id}.1.${Date.now() + 60_000}`, "theirs") };
}

/** Every control socket frame, sent on the registered socket of `mine` about the connection of `theirs`. */
const CONTROL_FRAMES: Record<FromBridgeControl["type"], () => Promise<void>> = {
  hello: async () => {
    mine.bridge.say({ ...hello, bridge_id: "mine", sessions: [placementOf(mine), placementOf(theirs)] });
    expect(await mine.bridge.control.next("close")).toMatchObject({ placement: placementOf(theirs) });
  },
  load: async () => mine.bridge.say({ type: "load", sessions: 0, rss_mb: 0, cpu: 0 }),
  gone: async () => mine.bridge.say({ type: "gone", placement: placementOf(theirs) }),
  proxy_checked: async () => {
    const { id, check } = await checkOfTheirs();
    const health = () => env.DB.prepare("SELECT status FROM proxy_health WHERE proxy_id = ?").bind(id).first();
    mine.bridge.say({ type: "proxy_checked", check, result: { ok: false, error: "timeout" } });
    mine.bridge.say({ type: "load", sessions: 7, rss_mb: 0, cpu: 0 });
    await vi.waitFor(async () =>
      expect((await pool().list()).bridges).toContainEqual(expect.objectContaining({ id: "mine", sessions: 7 })),
    );
    expect(await health()).toBeNull();
    theirs.bridge.say({ type: "proxy_checked", check, result: { ok: true, latency_ms: 1, exit: null } });
    await vi.waitFor(async () => expect(await health()).toEqual({ status: "healthy" }));
  },
  draining: async () => mine.bridge.say({ type: "draining" }),
};

/** Every session socket frame, sent to the connection of `theirs` on a socket opened with its ticket. */
const SESSION_FRAMES: { [T in FromBridge["type"]]: Extract<FromBridge, { type: T }> } = {
  hello: { type: "hello", generation: 1, bridge_id: "mine", has_state: false },
  commit: { type: "commit", seq: 2, rows: [["creds|me", "evil"]], events: [{ key: null, event: event.closed("logged_out") }] },
  fetch: { type: "fetch", id: 1, keys: ["creds|me"] },
  result: { type: "result", id: 1, ok: true, value: "{}" },
  failed: { type: "failed", id: 1, failure: { code: "internal_error" } },
};

const placementOf = ({ connection, session }: Party) => ({ connection: connection.uuid, generation: session.generation });

describe("a bridge's credential reaches no connection of another bridge", () => {
  it("by any route", () => {
    const routes = internalRoutes().routes.filter(({ method }) => method !== "ALL");
    expect(Object.keys(ROUTES).toSorted()).toEqual([...new Set(routes.map(({ method, path }) => `${method} ${path}`))].toSorted());
  });

  it.each(Object.keys(ROUTES))("%s", async (route) => {
    await ROUTES[route]?.();
    await expectUntouched();
  });

  it("by any frame of the control socket", () => {
    expect(Object.keys(CONTROL_FRAMES).toSorted()).toEqual(FromBridgeControl.options.map(({ shape }) => shape.type.value).toSorted());
  });

  it.each(Object.keys(CONTROL_FRAMES) as (keyof typeof CONTROL_FRAMES)[])("control frame %s", async (type) => {
    await CONTROL_FRAMES[type]();
    await expectUntouched();
  });

  it("by any frame of a session socket", () => {
    expect(Object.keys(SESSION_FRAMES).toSorted()).toEqual(FromBridge.options.map(({ shape }) => shape.type.value).toSorted());
  });

  it.each(Object.values(SESSION_FRAMES))("session frame $type", async (frame) => {
    const session = await dialSession(theirs.session.ticket);
    session.send(frame);
    expect(await session.closed).toMatchObject({ code: SESSION_CLOSE.fenced });
    expect(session.rest).toEqual([]);
    await expectUntouched();
  });

  it("by an unused ticket that the pool gave to the other bridge", async () => {
    const ticket = await ticketOfTheirs();
    const refused = await dialSession(ticket);
    expect(await refused.closed).toMatchObject({ code: SESSION_CLOSE.fenced });
    const session = await FakeSession.dial(theirs.connection.uuid, theirs.session.generation + 1, ticket, "theirs");
    expect(session.rows).toEqual(new Map(ROWS));
  });

  it("by the other one's name on a session socket of its own", async () => {
    const socket = await dial<ToBridge>(INTERNAL.session(mine.connection.uuid), { [SESSION_TICKET_HEADER]: mine.session.ticket });
    socket.send({ type: "hello", generation: mine.session.generation, bridge_id: "theirs", has_state: true });
    expect(await socket.closed).toMatchObject({ code: SESSION_CLOSE.badFrame });
    expect((await call(INTERNAL.media(theirs.connection.uuid, theirs.mediaToken))).status).toBe(403);
  });

  it("by claiming a session that the other one has lost", async () => {
    await runInDurableObject(pool(), (_object, { storage }) => {
      // Its connection cannot be notified, so the session stays lost.
      storage.sql.exec("UPDATE placement SET connection = 'nobody' WHERE connection = ?", theirs.connection.uuid);
      storage.sql.exec("UPDATE placement SET bridge = NULL, lost = 1, lost_by = 'theirs' WHERE connection = 'nobody'");
    });
    await evictDurableObject(pool());
    const lost = { connection: "nobody", generation: theirs.session.generation };
    const control = await dial<ToBridgeControl>(INTERNAL.bridges);
    control.send({ ...hello, bridge_id: "mine", sessions: [lost] });
    expect(await control.next("close")).toEqual({ type: "close", placement: lost });
  });
});

const openSockets = ({ stub }: TestConnection) => runInDurableObject(stub, (_object, ctx) => ctx.getWebSockets().length);

describe("files of a connection", () => {
  it("are closed to a bridge as soon as the session is on another one, and when it has ended", async () => {
    const mineOf = () => call(INTERNAL.media(mine.connection.uuid, mine.mediaToken));
    const first = await mineOf();
    expect(first.status).toBe(200);
    await first.text();
    mine.bridge.leave();
    const other = await mine.connection.bridge({ id: "other" });
    await mine.connection.ask("instance.restart", {});
    await other.open(mine.connection.uuid);
    expect((await mineOf()).status).toBe(403);
    await mine.connection.ask("instance.disconnect", {});
    const last = await ask(INTERNAL.media(mine.connection.uuid, mine.mediaToken), { headers: bridgeHeaders("other") });
    expect(last.status).toBe(403);
  });

  it("are open to a bridge whose session socket is down for a moment", async () => {
    mine.session.drop();
    await vi.waitFor(async () => expect(await openSockets(mine.connection)).toBe(0));
    const answer = await call(INTERNAL.media(mine.connection.uuid, mine.mediaToken));
    expect(answer.status).toBe(200);
    await answer.text();
  });
});
