// `/api/cloud/webhook/<instance id>` receives Meta's webhooks. Instead of a key, the object checks the handshake's token or the signature.
import { Hono } from "hono";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { ByteBuffer } from "../http/body/byte-buffer.ts";
import { IncomingBody } from "../http/body/incoming-body.ts";
import { connectionStub, type ConnectionStub } from "../services/connections/stub.ts";
import { kindOfConnection } from "../services/connections/existence.ts";
import { errorFields, log } from "../log.ts";
import { UUID } from "@gateway/protocol/ids.ts";

export const CLOUD_WEBHOOK = "/api/cloud/webhook";

const MAX_BYTES = 4 * 1024 * 1024;
const FIRST_BYTES = 16 * 1024;
const MAX_CHALLENGE_CHARACTERS = 1024;
const MAX_TOKEN_CHARACTERS = 1024;

const BODIES = {
  200: "{}",
  400: "bad request",
  401: "unauthorized",
  403: "forbidden",
  413: "too large",
  500: "failed",
  503: "unavailable",
};
const HEADERS = { "Cache-Control": "no-store", "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" };

export function cloudWebhookRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/:instance", (c) => passOn(c, 403, handshake));
  routes.post("/:instance", (c) => passOn(c, 401, receive));
  return routes;
}

type Addressee = { stub: ConnectionStub; connection: string };

/** An unknown id gets the same response as a failed check. If the check cannot be made, the response is a 5xx, so that Meta retries. */
async function passOn(c: AppContext, refusal: 401 | 403, act: (c: AppContext, found: Addressee) => Promise<Response>): Promise<Response> {
  c.get("facts").route = `${CLOUD_WEBHOOK}/{instanceId}`;
  const connection = c.req.param("instance") ?? "";
  if (!UUID.test(connection)) return respond(refusal);
  const kind = await kindOfConnection(c.env.DB, connection);
  if (kind === "unavailable") return respond(503);
  if (kind !== "cloud_api") return respond(refusal);
  c.get("facts").connection = connection;
  try {
    return await act(c, { stub: connectionStub(c.env, connection), connection });
  } catch (error) {
    log("cloud.webhook_failed", { connection, ...errorFields(error) });
    return respond(500);
  }
}

async function handshake(c: AppContext, { stub }: Addressee): Promise<Response> {
  const { "hub.mode": mode, "hub.verify_token": token = "", "hub.challenge": challenge = "" } = c.req.query();
  const isAsked = mode === "subscribe" && token !== "" && token.length <= MAX_TOKEN_CHARACTERS && challenge !== "";
  if (!isAsked || challenge.length > MAX_CHALLENGE_CHARACTERS || !(await stub.cloudHandshake(token))) return respond(403);
  return new Response(challenge, { status: 200, headers: HEADERS });
}

async function receive(c: AppContext, { stub }: Addressee): Promise<Response> {
  const body = new IncomingBody(c.req.raw);
  try {
    const bytes = await bytesOf(body);
    if (typeof bytes === "number") return respond(bytes);
    return respond(await stub.cloudWebhook(bytes, c.req.header("x-hub-signature-256") ?? null));
  } finally {
    body.leave();
  }
}

/** Reads the raw bytes, because the signature covers bytes. */
async function bytesOf(body: IncomingBody): Promise<Uint8Array | 400 | 413 | 503> {
  if ((body.declaredBytes ?? 0) > MAX_BYTES) return 413;
  const bytes = new ByteBuffer(FIRST_BYTES);
  for (;;) {
    const chunk = await body.next();
    if (chunk === null) return bytes.bytes();
    if (typeof chunk === "string") return chunk === "overloaded" ? 503 : 400;
    bytes.append(chunk);
    if (bytes.size > MAX_BYTES) return 413;
  }
}

function respond(status: keyof typeof BODIES): Response {
  return new Response(BODIES[status], { status, headers: status === 200 ? { ...HEADERS, "Content-Type": "application/json" } : HEADERS });
}
