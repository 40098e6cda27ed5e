// A bridge without a configured pool asks the gateway for its pool, and dials it with the pool's credential.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ControlSocket } from "#root/session-bridge/gateway/control-socket.ts";
import { withAssignedPool } from "#root/session-bridge/gateway/assigned-pool.ts";
import { readSettings, type Settings } from "#root/session-bridge/settings.ts";
import { makeBridgeCredential } from "@gateway/domain/keys/bridge-credential.ts";
import { REFUSAL } from "../../support/bridge/fake-gateway.ts";
import { secretsOf } from "../../domain/keys/secrets-of.ts";

const secrets = secretsOf("a-secret-that-the-gateway-keeps-to-itself");
const OWN = makeBridgeCredential(secrets, "eu-1");
const HOME = { pool: "weur/2", credential: makeBridgeCredential(secrets, "eu-1", "weur/2") };
const logger = pino({ level: "silent" });

let server: Server;
/** Statuses of the next responses; 200 afterwards. */
let statuses: number[];
let asked: string[];

beforeEach(async () => {
  [statuses, asked] = [[], []];
  server = createServer(({ url, headers }, response) => {
    asked.push(`${url} ${headers.authorization}`);
    const status = statuses.shift() ?? 200;
    response.writeHead(status).end(status === 200 ? JSON.stringify(HOME) : REFUSAL);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function settings(change: Record<string, string> = {}): Settings {
  const gateway = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const read = readSettings({ BRIDGE_GATEWAY_URL: gateway, BRIDGE_CREDENTIAL: OWN, BRIDGE_REGION: "weur", ...change });
  if (!read.ok) throw new Error(read.problems.join());
  return read.settings;
}

it("a bridge without a pool asks the gateway for one until it answers", async () => {
  statuses = [503, 429];
  expect(await withAssignedPool(settings(), logger)).toMatchObject({ ...HOME, bridgeId: "eu-1" });
  expect(asked).toEqual(Array.from({ length: 3 }, () => `/internal/bridges/home?region=weur Bearer ${OWN}`));
});

it("a bridge without a pool keeps its settings if the gateway assigns no pools", async () => {
  statuses = [404];
  expect(await withAssignedPool(settings(), logger)).toEqual(settings());
});

it("a bridge asks for no pool if its credential or its setting names one", async () => {
  expect(await withAssignedPool(settings({ BRIDGE_CREDENTIAL: HOME.credential }), logger)).toMatchObject({ pool: "weur/2" });
  expect(await withAssignedPool(settings({ BRIDGE_POOL: "default" }), logger)).toMatchObject({ pool: "default" });
  expect(() => settings({ BRIDGE_POOL: "weur/2" })).toThrow("BRIDGE_POOL: the credential belongs to pool default");
  expect(asked).toEqual([]);
});

it("a bridge dials its assigned pool by name, with the pool's credential", async () => {
  const upgraded = once(server, "upgrade");
  const nothing = () => undefined;
  const { gatewayUrl, credential, pool } = await withAssignedPool(settings(), logger);
  const control = new ControlSocket({
    gatewayUrl,
    credential,
    pool,
    received: nothing,
    rejected: nothing,
    credentialDead: nothing,
    connected: nothing,
    replaced: nothing,
    hello: () => ({ type: "hello", bridge_id: "eu-1", network: "real", capacity: 1, sessions: [] }),
    load: () => ({ type: "load", sessions: 0, rss_mb: 1, cpu: 0 }),
  });
  control.dial();
  const [request] = (await upgraded) as [{ url: string; headers: { authorization: string } }];
  control.close();
  expect([request.url, request.headers.authorization]).toEqual(["/internal/bridges?pool=weur%2F2", `Bearer ${HOME.credential}`]);
});
