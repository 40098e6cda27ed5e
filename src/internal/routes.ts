// Routes for session bridges (src/protocol/internal-http.ts).
import { Hono } from "hono";
import { bridgeOfAuthorization, isExitTicket, isTicketOf, makeBridgeCredential } from "@gateway/domain/keys/bridge-credential.ts";
import { settingsOf } from "../env.ts";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { log } from "../log.ts";
import type { ExitAddress } from "@gateway/protocol/bridge-socket.ts";
import { type BridgeHome, DEFAULT_POOL, SESSION_TICKET_HEADER } from "@gateway/protocol/internal-http.ts";
import { homeOfBridge, regionOfRequest } from "../services/bridges/homes.ts";
import { poolOf } from "../services/bridges/pool-stub.ts";
import { connectionStub } from "../services/connections/stub.ts";
import { connectionExists } from "../services/connections/create.ts";
import { sendMedia, receiveMedia } from "./bridge-media.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function internalRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/exit-address", exitAddress);
  routes.use("*", async (c, next) => {
    c.var.facts.route = "/internal/*";
    if (bridgeOf(c) === null) return englishFailure(c, "unauthorized");
    return next();
  });
  routes.get("/bridges", openControl);
  routes.get("/bridges/home", answerHome);
  routes.get("/sessions/:connection", openSession);
  routes.put("/media/:connection", (c) => onHeldConnection(c, (connection) => receiveMedia(c, connection)));
  routes.get("/media/:connection/:token", (c) => onHeldConnection(c, (connection) => sendMedia(c, connection, c.req.param("token"))));
  routes.all("*", (c) => englishFailure(c, "route_not_found"));
  return routes;
}

function exitAddress(c: AppContext): Response {
  c.var.facts.route = "/internal/exit-address";
  if (!isExitTicket(settingsOf(c.env).BRIDGE_SECRET, c.req.header("authorization"), Date.now())) return englishFailure(c, "unauthorized");
  const country = c.req.header("cf-ipcountry") ?? null;
  const answer: ExitAddress = {
    ip: c.req.header("cf-connecting-ip") ?? null,
    // T1 means the Tor network, and XX unknown, so neither is a country.
    country: country !== null && /^[A-Z]{2}$/.test(country) && country !== "XX" ? country : null,
  };
  return c.json(answer, 200, { "Cache-Control": "no-store" });
}

/**
 * Does not read D1 for most tickets, because after a deploy all sessions connect at once. A ticket of the previous release does not prove
 * its connection, and any name would create an object.
 */
async function openSession(c: AppContext): Promise<Response> {
  c.var.facts.route = "/internal/sessions/{connection}";
  if (!wantsWebSocket(c)) return upgradeRequired();
  return onConnection(c, async (connection) => {
    const ticket = c.req.header(SESSION_TICKET_HEADER) ?? "";
    const shown = isTicketOf(settingsOf(c.env).BRIDGE_SECRET, ticket, bridgeOf(c) ?? "", connection);
    const known = shown === "unmarked" ? await connectionExists(c.env.DB, connection) : shown;
    if (!known) return englishFailure(c, "instance_not_found");
    return connectionStub(c.env, connection).fetch(c.req.raw);
  });
}

/** The pool rejects bridges of other pools. An object is created only for a pool that a valid credential names. */
async function openControl(c: AppContext): Promise<Response> {
  c.var.facts.route = "/internal/bridges";
  if (!wantsWebSocket(c)) return upgradeRequired();
  const asked = c.req.query("pool") ?? DEFAULT_POOL;
  const { bridge, pool } = shownBy(c) ?? {};
  if (asked === pool) return poolOf(c.env, pool).fetch(c.req.raw);
  log("pool.bridge_refused", { bridge, pool: asked.slice(0, 20), wanted: pool });
  return englishFailure(c, "forbidden");
}

/** Called by bridges that start without a pool. */
async function answerHome(c: AppContext): Promise<Response> {
  c.var.facts.route = "/internal/bridges/home";
  const { bridge = "", pool = DEFAULT_POOL } = shownBy(c) ?? {};
  const home = pool === DEFAULT_POOL ? await homeOfBridge(c.env, c.req.query("region") ?? null, regionOfRequest(c.req.raw)) : pool;
  const answer = { pool: home, credential: makeBridgeCredential(settingsOf(c.env).BRIDGE_SECRET, bridge, home) };
  return c.json(answer satisfies BridgeHome, 200, { "Cache-Control": "no-store" });
}

/** Only while the bridge hosts the session. Unknown names get the same response, because they must not create an object. */
function onHeldConnection(c: AppContext, act: (connection: string) => Promise<Response>): Promise<Response> {
  return onConnection(c, async (connection) => {
    const bridge = bridgeOf(c);
    const held =
      bridge !== null && (await connectionExists(c.env.DB, connection)) && (await connectionStub(c.env, connection).isHostedBy(bridge));
    return held ? act(connection) : englishFailure(c, "forbidden");
  });
}

async function onConnection(c: AppContext, act: (connection: string) => Promise<Response>): Promise<Response> {
  const connection = c.req.param("connection") ?? "";
  if (!UUID.test(connection)) return englishFailure(c, "instance_not_found");
  c.var.facts.connection = connection;
  return act(connection);
}

function wantsWebSocket(c: AppContext): boolean {
  return c.req.header("upgrade")?.toLowerCase() === "websocket";
}

function upgradeRequired(): Response {
  return new Response(null, { status: 426, headers: { Upgrade: "websocket" } });
}

/** null: the credential is not valid. */
function bridgeOf(c: AppContext): string | null {
  return shownBy(c)?.bridge ?? null;
}

function shownBy(c: AppContext): ReturnType<typeof bridgeOfAuthorization> {
  return bridgeOfAuthorization(settingsOf(c.env).BRIDGE_SECRET, c.req.header("authorization"));
}
