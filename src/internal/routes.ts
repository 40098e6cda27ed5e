// The doors for session bridges (src/protocol/internal-http.ts): control socket, session sockets, media.
import { Hono } from "hono";
import { settingsOf } from "../env.ts";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { bridgePoolStub } from "../services/bridges/pool-stub.ts";
import { connectionStub } from "../services/connections/stub.ts";
import { connectionExists } from "../services/connections/exists.ts";
import { bearsSecret } from "./bridge-secret.ts";
import { sendMedia, takeMedia } from "./bridge-media.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function internalRoutes(): Hono<AppEnv> {
  const doors = new Hono<AppEnv>();
  doors.get("/sessions/:connection", openSession);
  doors.use("*", async (c, next) => {
    c.var.facts.route = "/internal/*";
    if (!bearsSecret(c.req.header("authorization"), settingsOf(c.env).BRIDGE_SECRET)) return englishFailure(c, "unauthorized");
    return next();
  });
  doors.get("/bridges", openControl);
  doors.put("/media/:connection", (c) => onConnection(c, (connection) => takeMedia(c, connection)));
  doors.get("/media/:connection/:token", (c) => onConnection(c, (connection) => sendMedia(c, connection, c.req.param("token"))));
  doors.all("*", (c) => englishFailure(c, "route_not_found"));
  return doors;
}

/** The ticket in `Authorization` is the credential, and only the object can tell whether it is good. */
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
