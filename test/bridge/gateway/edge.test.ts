// A bridge whose gateway is behind an edge that responds in its place.
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ControlSocket } from "#root/session-bridge/gateway/control-socket.ts";
import { DialQueue } from "#root/session-bridge/gateway/dial-queue.ts";
import { createMediaLink } from "#root/session-bridge/gateway/media-link.ts";
import { withAssignedPool } from "#root/session-bridge/gateway/assigned-pool.ts";
import { SessionSocket, sessionSocketLosses } from "#root/session-bridge/gateway/session-socket.ts";
import type { Settings } from "#root/session-bridge/settings.ts";
import { Edge } from "../../support/bridge/edge.ts";
import { BRIDGE_CREDENTIAL, FakeGateway, REFUSAL } from "../../support/bridge/fake-gateway.ts";
import { eventually } from "../../support/eventually.ts";

const WAIT_MS = 60_000;
const STATUSES = [403, 404, 429, 502];
let gateway: FakeGateway;
let edge: Edge;
let opened: { close(): void }[];

beforeEach(async () => {
  opened = [];
  gateway = await new FakeGateway().start();
  edge = await new Edge(gateway.url).start();
});
afterEach(async () => {
  for (const each of opened) each.close();
  edge.stop();
  await gateway.stop();
});

function dialSession(): { socket: SessionSocket; ends: string[] } {
  const connection = gateway.connection();
  connection.generation = 1;
  const ends: string[] = [];
  const nothing = (): void => undefined;
  const socket = new SessionSocket(
    {
      gatewayUrl: edge.url,
      connection: connection.id,
      generation: 1,
      bridgeId: "bridge",
      credential: BRIDGE_CREDENTIAL,
      ticket: connection.newTicket(),
      hasState: () => true,
      isWaiting: () => false,
      losses: sessionSocketLosses(),
      dials: new DialQueue(),
    },
    { welcomed: nothing, received: nothing, redialling: nothing, ended: (how) => ends.push(how) },
  );
  opened.push(socket);
  socket.dial();
  return { socket, ends };
}

describe("a session", () => {
  it.each(STATUSES)("survives an edge that responds %i with its own page", async (status) => {
    edge.answers = [{ status }, { status, body: "" }];
    const { socket, ends } = dialSession();
    await eventually("the welcome", WAIT_MS, () => socket.connected);
    expect(ends).toEqual([]);
    expect(edge.agents).toEqual(Array.from({ length: 3 }, () => "Service-Bridge/1.0"));
  });

  it("ends when the gateway itself does not know it", async () => {
    edge.answers = [{ status: 404, body: REFUSAL }];
    const { ends } = dialSession();
    await eventually("the end", WAIT_MS, () => ends.length > 0);
    expect(ends).toEqual(["fenced"]);
  });
});

it("the pool's socket is dialled again, and the log says who refused it", async () => {
  edge.answers = [{ status: 401 }, { status: 401, body: REFUSAL }, { status: 403 }];
  const refused: [number, boolean][] = [];
  let connected = false;
  const nothing = (): void => undefined;
  const socket = new ControlSocket({
    gatewayUrl: edge.url,
    credential: BRIDGE_CREDENTIAL,
    pool: null,
    hello: () => ({ type: "hello", bridge_id: "bridge", network: "local", capacity: 1, sessions: [] }),
    load: () => ({ type: "load", sessions: 0, rss_mb: 1, cpu: 0 }),
    received: nothing,
    rejected: (status, own) => refused.push([status, own]),
    credentialDead: nothing,
    connected: () => {
      connected = true;
    },
    replaced: nothing,
  });
  opened.push(socket);
  socket.dial();
  await eventually("the pool", WAIT_MS, () => connected);
  expect(refused).toEqual([
    [401, false],
    [401, true],
    [403, false],
  ]);
  expect(new Set(edge.agents)).toEqual(new Set(["Service-Bridge/1.0"]));
});

it.each(STATUSES)("a file and the bridge's pool survive an edge that responds %i", async (status) => {
  const link = createMediaLink({ url: edge.url, credential: BRIDGE_CREDENTIAL }, "a-connection", new AbortController().signal);
  edge.answers = [{ status }];
  const stored = await link.upload(Buffer.from("abc"), { mimetype: "image/png", filename: null, sha256: null, size: 3 });
  expect(stored).toMatchObject({ ok: true, value: { size: 3 } });
  gateway.home = { pool: "weur/2", credential: `brg_eu-1@weur/2.1.${"a".repeat(43)}` };
  edge.answers = [{ status }];
  const settings = { gatewayUrl: edge.url, credential: BRIDGE_CREDENTIAL, region: null, pool: null } as Settings;
  expect(await withAssignedPool(settings, pino({ level: "silent" }))).toMatchObject({ pool: "weur/2" });
  expect(new Set(edge.agents)).toEqual(new Set(["Service-Bridge/1.0"]));
});
