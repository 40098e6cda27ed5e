// Routes for session bridges (src/protocol/internal-http.ts).
import { Hono } from "hono";
import { bridgeOfAuthorization, isExitTicket, isTicketOf, makeBridgeCredential } from "@gateway/domain/keys/bridge-credential.ts";
import { settingsOf } from "../env.ts";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { log } from "../log.ts";
import type { ExitAddress } from "@gateway/protocol/bridge-socket.ts";
import {
  type BridgeHome,
  DEFAULT_POOL,
  SESSION_TICKET_HEADER,
  MAX_MEDIA_BYTES,
  MEDIA_HEADERS,
  type StoredMediaResponse,
} from "@gateway/protocol/internal-http.ts";
import { isMediaToken, mediaKey } from "@gateway/domain/media/media-link.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { mediaTypeOf } from "@gateway/protocol/files.ts";
import { UUID } from "@gateway/protocol/ids.ts";
import type { z } from "zod";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { homeOfBridge, regionOfRequest } from "../services/bridges/homes.ts";
import { poolOf } from "../services/bridges/pool-stub.ts";
import { connectionStub } from "../services/connections/stub.ts";
import { connectionExists, connectionIsRemoved } from "../services/connections/existence.ts";
import { fileHeaders } from "../http/file-headers.ts";
import { openMedia } from "../services/media/open.ts";
import { storeMedia } from "../services/media/store.ts";

export function internalRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/exit-address", exitAddress);
  routes.use("*", async (c, next) => {
    c.get("facts").route = "/internal/*";
    if (bridgeOf(c) === null) return englishFailure(c, "unauthorized");
    return next();
  });
  routes.get("/bridges", openControl);
  routes.get("/bridges/home", answerHome);
  routes.get("/sessions/:connection", openSession);
  routes.put("/media/:connection", (c) => onHostedConnection(c, (connection) => receiveMedia(c, connection)));
  routes.get("/media/:connection/:token", (c) => onHostedConnection(c, (connection) => sendMedia(c, connection, c.req.param("token"))));
  routes.all("*", (c) => englishFailure(c, "route_not_found"));
  return routes;
}

function exitAddress(c: AppContext): Response {
  c.get("facts").route = "/internal/exit-address";
  if (!isExitTicket(settingsOf(c.env).BRIDGE_SECRET, c.req.header("authorization"), Date.now())) return englishFailure(c, "unauthorized");
  const country = c.req.header("cf-ipcountry") ?? null;
  const body: ExitAddress = {
    ip: c.req.header("cf-connecting-ip") ?? null,
    // T1 stands for the Tor network and XX for unknown, so neither is a country.
    country: country !== null && /^[A-Z]{2}$/.test(country) && country !== "XX" ? country : null,
  };
  return c.json(body, 200, { "Cache-Control": "no-store" });
}

/** Does not read D1, because all sessions connect at once after a deploy. */
async function openSession(c: AppContext): Promise<Response> {
  c.get("facts").route = "/internal/sessions/{connection}";
  if (!wantsWebSocket(c)) return upgradeRequired();
  return onConnection(c, async (connection) => {
    const ticket = c.req.header(SESSION_TICKET_HEADER) ?? "";
    if (!isTicketOf(settingsOf(c.env).BRIDGE_SECRET, ticket, bridgeOf(c) ?? "", connection)) return englishFailure(c, "instance_not_found");
    return connectionStub(c.env, connection).fetch(c.req.raw);
  });
}

/** Each pool rejects the bridges of other pools. An object is created only for a pool in a valid credential. */
async function openControl(c: AppContext): Promise<Response> {
  c.get("facts").route = "/internal/bridges";
  if (!wantsWebSocket(c)) return upgradeRequired();
  const asked = c.req.query("pool") ?? DEFAULT_POOL;
  const { bridge, pool } = shownBy(c) ?? {};
  if (asked === pool) return poolOf(c.env, pool).fetch(c.req.raw);
  log("pool.bridge_refused", { bridge, pool: asked.slice(0, 20), wanted: pool });
  return englishFailure(c, "forbidden");
}

/** Called by bridges that start without a pool. */
async function answerHome(c: AppContext): Promise<Response> {
  c.get("facts").route = "/internal/bridges/home";
  const { bridge = "", pool = DEFAULT_POOL } = shownBy(c) ?? {};
  const home = pool === DEFAULT_POOL ? await homeOfBridge(c.env, c.req.query("region") ?? null, regionOfRequest(c.req.raw)) : pool;
  const body = { pool: home, credential: makeBridgeCredential(settingsOf(c.env).BRIDGE_SECRET, bridge, home) };
  return c.json(body satisfies BridgeHome, 200, { "Cache-Control": "no-store" });
}

/** Runs `act` only while the bridge hosts the session. Unknown names get the same response, because they must not create an object. */
function onHostedConnection(c: AppContext, act: (connection: string) => Promise<Response>): Promise<Response> {
  return onConnection(c, async (connection) => {
    const bridge = bridgeOf(c);
    const isHosted =
      bridge !== null && (await connectionExists(c.env.DB, connection)) && (await connectionStub(c.env, connection).isHostedBy(bridge));
    return isHosted ? act(connection) : englishFailure(c, "forbidden");
  });
}

async function onConnection(c: AppContext, act: (connection: string) => Promise<Response>): Promise<Response> {
  const connection = c.req.param("connection") ?? "";
  if (!UUID.test(connection)) return englishFailure(c, "instance_not_found");
  c.get("facts").connection = connection;
  return act(connection);
}

function wantsWebSocket(c: AppContext): boolean {
  return c.req.header("upgrade")?.toLowerCase() === "websocket";
}

function upgradeRequired(): Response {
  return new Response(null, { status: 426, headers: { Upgrade: "websocket" } });
}

function bridgeOf(c: AppContext): string | null {
  return shownBy(c)?.bridge ?? null;
}

function shownBy(c: AppContext): ReturnType<typeof bridgeOfAuthorization> {
  return bridgeOfAuthorization(settingsOf(c.env).BRIDGE_SECRET, c.req.header("authorization"));
}

// Media between bridge and R2, in both directions (docs/internals/bridges.md, "The session socket").
async function receiveMedia(c: AppContext, connection: string): Promise<Response> {
  c.get("facts").route = "/internal/media/{connection}";
  const sizeBytes = Number(c.req.header("content-length") ?? Number.NaN);
  const body = c.req.raw.body;
  if (!Number.isInteger(sizeBytes) || sizeBytes <= 0 || body === null) {
    return englishFailure(c, { code: "validation_error", issues: [{ field: "content-length", issue: "required, greater than 0" }] });
  }
  if (sizeBytes > MAX_MEDIA_BYTES) return englishFailure(c, "media_too_large");
  const media = {
    connection,
    sizeBytes,
    mimetype: mediaTypeOf(c.req.header("content-type") ?? ""),
    filename: readFilename(c.req.header(MEDIA_HEADERS.filename)),
    expiresAt: Date.now() + retentionMs(c.req.header(MEDIA_HEADERS.days)),
  };
  const token = await storeMedia(c.env.MEDIA, media, body);
  if (token === null) return englishFailure(c, "unavailable");
  // Deletes the file if the connection was removed, because the removal may have listed the files before this one was stored.
  if (await connectionIsRemoved(c.env.DB, connection)) {
    await c.env.MEDIA.delete(mediaKey(token));
    return englishFailure(c, "instance_not_found");
  }
  return c.json({ token, size: sizeBytes } satisfies z.infer<typeof StoredMediaResponse>, 201);
}

async function sendMedia(c: AppContext, connection: string, token: string | undefined): Promise<Response> {
  c.get("facts").route = "/internal/media/{connection}/{token}";
  if (token === undefined || !isMediaToken(token)) return englishFailure(c, "media_expired");
  const media = await openMedia(c.env.MEDIA, token, Date.now());
  if (media === null) return englishFailure(c, "media_expired");
  if (media.connection !== connection) {
    await media.body.cancel();
    return englishFailure(c, "media_expired");
  }
  return c.body(media.body, 200, { ...fileHeaders(media.mimetype, null, { shown: false }), "Content-Length": String(media.sizeBytes) });
}

/** The retention that the connection's owner set, limited to the allowed range (docs/use/apis.md, "Settings and pacing"). */
function retentionMs(header: string | undefined): number {
  return /^([1-9]|[12]\d|30)$/.test(header ?? "") ? Number(header) * DAY_MS : LIMITS.mediaRetentionMs;
}

function readFilename(header: string | undefined): string | null {
  if (header === undefined) return null;
  try {
    return decodeURIComponent(header);
  } catch {
    return null;
  }
}
