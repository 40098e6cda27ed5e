// Routes for session bridges (src/protocol/internal-http.ts): control socket, session sockets, media.
import { timingSafeEqual } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { Hono } from "hono";
import type { VersionedSecrets } from "../domain/keys/secrets.ts";
import { settingsOf } from "../env.ts";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { bridgePoolStub } from "../services/bridges/pool-stub.ts";
import { connectionStub } from "../services/connections/stub.ts";
import { connectionExists } from "../services/connections/exists.ts";
import { sendMedia, receiveMedia } from "./bridge-media.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function internalRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/sessions/:connection", openSession);
  routes.use("*", async (c, next) => {
    c.var.facts.route = "/internal/*";
    if (!bearsSecret(c.req.header("authorization"), settingsOf(c.env).BRIDGE_SECRET)) return englishFailure(c, "unauthorized");
    return next();
  });
  routes.get("/bridges", openControl);
  routes.put("/media/:connection", (c) => onConnection(c, (connection) => receiveMedia(c, connection)));
  routes.get("/media/:connection/:token", (c) => onConnection(c, (connection) => sendMedia(c, connection, c.req.param("token"))));
  routes.all("*", (c) => englishFailure(c, "route_not_found"));
  return routes;
}

/** The ticket in `Authorization` is the credential, which only the object can check. */
async function openSession(c: AppContext): Promise<Response> {
  c.var.facts.route = "/internal/sessions/{connection}";
  if (!wantsWebSocket(c)) return upgradeRequired();
  return onConnection(c, async (connection) => {
    if (!(await connectionExists(c.env.DB, connection))) return englishFailure(c, "instance_not_found");
    return connectionStub(c.env, connection).fetch(c.req.raw);
  });
}

async function openControl(c: AppContext): Promise<Response> {
  c.var.facts.route = "/internal/bridges";
  return wantsWebSocket(c) ? bridgePoolStub(c.env).fetch(c.req.raw) : upgradeRequired();
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

/** Compares digests of equal length, in constant time, with every secret that is accepted. */
function bearsSecret(authorization: string | undefined, secrets: VersionedSecrets): boolean {
  const presented = sha256(utf8ToBytes(/^Bearer (.+)$/i.exec(authorization ?? "")?.[1] ?? ""));
  return [...secrets.values()].filter((secret) => timingSafeEqual(presented, sha256(secret))).length > 0;
}
