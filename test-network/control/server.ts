// The control API over HTTP: loopback only, JSON in and out.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isLoopbackRequest } from "./loopback.ts";
import { PAGE } from "./page.ts";
import type { Answer, Reply, Route, World } from "./route.ts";
import { callRoutes } from "./routes/calls.ts";
import { chatRoutes } from "./routes/chats.ts";
import { groupRoutes } from "./routes/groups.ts";
import { messageRoutes } from "./routes/messages.ts";
import { networkRoutes } from "./routes/network.ts";
import { phoneRoutes } from "./routes/phones.ts";
import { refused } from "../phone/refusal.ts";

/** Base64 of the largest file of the gateway's API (50 MB), and room for the rest. */
const MAX_BODY_BYTES = 72 * 1024 * 1024;

export const routes: readonly Route[] = [...phoneRoutes, ...messageRoutes, ...chatRoutes, ...groupRoutes, ...callRoutes, ...networkRoutes];

/** A server that is not listening yet. */
export function createControl(world: World): Server {
  return createServer((request, response) => {
    respond(world, request)
      .then((reply) => write(response, reply))
      .catch(() =>
        write(response, {
          status: 500,
          body: { error: { code: "internal", message: "the test network failed; see GET /phones/{phone}" } },
        }),
      );
  });
}

async function respond(world: World, request: IncomingMessage): Promise<Reply | string> {
  if (!isLoopbackRequest(request.headers)) return refused(403, "not_loopback", "this API answers programs on this machine only");
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  if (pathname === "/" && request.method === "GET") return PAGE;
  const found = find(request.method ?? "", pathname);
  if (!found) return refused(404, "unknown_route", "there is no such route");
  const body = await readJson(request);
  if (!body.ok) return body.refusal;
  const parsed = found.route.body.safeParse(body.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refused(400, "bad_body", `${issue?.path.join(".") || "body"}: ${issue?.message ?? "not valid"}`);
  }
  const reply = await found.route.run({ ...world, params: found.params, query: searchParams, body: parsed.data });
  // Whoever gets an answer may kill this process and must find what was answered.
  if (request.method !== "GET") await world.network.durable();
  return reply;
}

function find(method: string, pathname: string): { route: Route; params: Record<string, string> } | null {
  const given = pathname.split("/").map(decode);
  for (const route of routes) {
    const params = route.method === method ? match(route.path.split("/"), given) : null;
    if (params) return { route, params };
  }
  return null;
}

function match(pattern: readonly string[], given: ReadonlyArray<string | null>): Record<string, string> | null {
  if (pattern.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const value = given[index];
    if (value === null || value === undefined) return null;
    if (part.startsWith(":")) params[part.slice(1)] = value;
    else if (part !== value) return null;
  }
  return params;
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

type Parsed = { ok: true; value: unknown } | { ok: false; refusal: Reply };

async function readJson(request: IncomingMessage): Promise<Parsed> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) return { ok: false, refusal: refused(413, "body_too_large", "the body is larger than 72 MB") };
  if (size === 0) return { ok: true, value: {} };
  try {
    return { ok: true, value: JSON.parse(Buffer.concat(chunks).toString()) };
  } catch {
    return { ok: false, refusal: refused(400, "bad_json", "the body is not JSON") };
  }
}

function write(response: ServerResponse, reply: Reply | string): void {
  if (typeof reply === "string") return send(response, 200, "text/html; charset=utf-8", reply);
  if ("ok" in reply)
    return send(response, reply.status, "application/json", JSON.stringify({ error: { code: reply.code, message: reply.message } }));
  return sendAnswer(response, reply);
}

function sendAnswer(response: ServerResponse, { status, body }: Answer): void {
  if (body instanceof Uint8Array) return send(response, status, "application/octet-stream", body);
  send(response, status, "application/json", JSON.stringify(body));
}

function send(response: ServerResponse, status: number, type: string, body: string | Uint8Array): void {
  response.writeHead(status, {
    "content-type": type,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy":
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'",
  });
  response.end(body);
}
