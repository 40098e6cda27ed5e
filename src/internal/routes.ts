// Routes for session bridges (src/protocol/internal-http.ts): control socket, session sockets, media.
import { Hono } from "hono";
import { bridgeOfAuthorization, isExitTicket, isTicketOf } from "../domain/keys/bridge-credential.ts";
import { settingsOf } from "../env.ts";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { SESSION_TICKET_HEADER } from "../protocol/internal-http.ts";
import type { ExitAddress } from "../protocol/bridge/proxy-checks.ts";
import { bridgePoolStub } from "../services/bridges/pool-stub.ts";
import { connectionStub } from "../services/connections/stub.ts";
import { connectionExists } from "../services/connections/exists.ts";
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
  routes.get("/sessions/:connection", openSession);
  routes.put("/media/:connection", (c) => onHeldConnection(c, (connection) => receiveMedia(c, connection)));
  routes.get("/media/:connection/:token", (c) => onHeldConnection(c, (connection) => sendMedia(c, connection, c.req.param("token"))));
  routes.all("*", (c) => englishFailure(c, "route_not_found"));
  return routes;
}

/** The address that the request came from, and its country. */
function exitAddress(c: AppContext): Response {
  c.var.facts.route = "/internal/exit-address";
  if (!isExitTicket(settingsOf(c.env).BRIDGE_SECRET, c.req.header("authorization"), Date.now())) return englishFailure(c, "unauthorized");
  const country = c.req.header("cf-ipcountry") ?? null;
  const answer: ExitAddress = {
    ip: c.req.header("cf-connecting-ip") ?? null,
    // T1 is the Tor network, XX unknown.
    country: country !== null && /^[A-Z]{2}$/.test(country) && country !== "XX" ? country : null,
  };
  return c.json(answer, 200, { "Cache-Control": "no-store" });
}

/**
 * Asks D1 nothing: after a deploy all sessions dial. That the ticket was not used, only the object knows; that an object made it, for this
 * connection, it shows itself. One of the release before does not, and then the directory is asked: any name creates an object.
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

async function openControl(c: AppContext): Promise<Response> {
  c.var.facts.route = "/internal/bridges";
  return wantsWebSocket(c) ? bridgePoolStub(c.env).fetch(c.req.raw) : upgradeRequired();
}

/**
 * Only while the bridge hosts the connection's session. One answer for connections that are elsewhere and for those that do not exist, which
 * must not create objects either.
 */
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

/** The id of the bridge that asks; null when its credential is not valid. */
function bridgeOf(c: AppContext): string | null {
  return bridgeOfAuthorization(settingsOf(c.env).BRIDGE_SECRET, c.req.header("authorization"))?.bridge ?? null;
}
