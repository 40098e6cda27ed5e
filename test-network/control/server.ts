import type { Server, IncomingHttpHeaders } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { refused } from "../phone/refusal.ts";
import type { ControlDependencies, Reply, Route } from "./route.ts";
import { phoneRoutes, networkRoutes } from "./routes/phones.ts";
import { chatRoutes } from "./routes/chats.ts";
import { cloudRoutes } from "./routes/cloud.ts";
import { groupRoutes } from "./routes/groups.ts";
import { messageRoutes } from "./routes/messages.ts";

/** Allows the API's largest file (50 MB) in base64, plus the other fields. */
const MAX_BODY_BYTES = 72 * 1024 * 1024;

/** Only the client closes an idle connection. If the server did, it might close a connection while a request is in flight. */
export const NO_IDLE_TIMEOUT = { keepAliveTimeout: 0 };

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

export const routes: readonly Route[] = [...phoneRoutes, ...messageRoutes, ...chatRoutes, ...groupRoutes, ...networkRoutes, ...cloudRoutes];

export function createControl(deps: ControlDependencies): Server {
  // Without `createServer` the adapter creates a plain HTTP server.
  return createAdaptorServer({ fetch: controlApp(deps).fetch, overrideGlobalObjects: false, serverOptions: NO_IDLE_TIMEOUT }) as Server;
}

function controlApp(deps: ControlDependencies): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    const { host, origin } = c.req.header();
    if (!isLoopbackRequest({ host, origin })) return write(refused(403, "not_loopback", "this API answers programs on this machine only"));
    if (Number(c.req.header("content-length") ?? 0) > MAX_BODY_BYTES)
      return write(refused(413, "body_too_large", "the body is larger than 72 MB"));
    return next();
  });
  app.get("*", async (c, next) => {
    if (!PAGE_FILES.test(c.req.path)) return next();
    return (await pageFile(c.req.path)) ?? write(refused(404, "unknown_route", "there is no such file"));
  });
  for (const route of routes) {
    app.on(route.method, route.path, async (c) => {
      const query = new URL(c.req.url).searchParams;
      return write(await run(deps, route, c.req.param(), query, await c.req.text()));
    });
  }
  app.notFound(() => write(refused(404, "unknown_route", "there is no such route")));
  app.onError(() => write(refused(500, "internal", "the test network failed; see GET /phones/{phone}")));
  return app;
}

async function run(
  deps: ControlDependencies,
  route: Route,
  params: Record<string, string>,
  query: URLSearchParams,
  text: string,
): Promise<Reply> {
  const body = readJson(text);
  if (!body.ok) return refused(400, "bad_json", "the body is not JSON");
  const parsed = route.body.safeParse(body.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refused(400, "bad_body", `${issue?.path.join(".") || "body"}: ${issue?.message ?? "not valid"}`);
  }
  const reply = await route.run({ ...deps, params, query, body: parsed.data });
  if (route.method !== "GET") await deps.network.durable();
  return reply;
}

function readJson(text: string): { ok: true; value: unknown } | { ok: false } {
  if (text === "") return { ok: true, value: {} };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}

function write(reply: Reply): Response {
  if ("ok" in reply) return json(reply.status, { error: { code: reply.code, message: reply.message } });
  const { status, body, headers } = reply;
  if (body instanceof ReadableStream) return new Response(body, { status, headers: { ...HEADERS, "content-type": "text/event-stream" } });
  if (body instanceof Uint8Array) return new Response(body as Uint8Array<ArrayBuffer>, { status, headers: { ...HEADERS, ...headers } });
  return json(status, body);
}

function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...HEADERS, "content-type": "application/json" } });
}

/** Web pages can reach loopback too, by DNS rebinding or cross-origin posts, so this checks the Host and Origin headers. */
function isLoopbackRequest({ host, origin }: IncomingHttpHeaders): boolean {
  return isLoopbackUrl(`http://${host ?? ""}`) && (origin === undefined || isLoopbackUrl(origin));
}

function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.has(new URL(url).hostname);
}

// Serves the phones' page. The dashboard's workspace builds it on the first request and after changes.
const BUILD = new URL("../../dashboard/build.mjs", import.meta.url).href;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

const PAGE_FILES = /^\/(?:(?:index\.html|before\.js|favicon\.svg)|assets\/[\w.-]+)?$/;

let building: Promise<string> | undefined;

/** Returns one of the page's files with the dashboard's headers, or null if it is missing. Rejects when the build fails. */
async function pageFile(path: string): Promise<Response | null> {
  const folder = await built();
  const file = path === "/" ? "/index.html" : path;
  const bytes = await readFile(join(folder, file)).catch(() => null);
  if (bytes === null) return null;
  const type = TYPES[extname(file)] ?? "application/octet-stream";
  const kept = file.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
  return new Response(bytes, { headers: { ...(await headersOf(folder)), "content-type": type, "cache-control": kept } });
}

function built(): Promise<string> {
  building ??= (import(BUILD) as Promise<{ builtPhones: () => Promise<string> }>)
    .then(({ builtPhones }) => builtPhones())
    .finally(() => {
      building = undefined;
    });
  return building;
}

async function headersOf(folder: string): Promise<Record<string, string>> {
  const [, ofAll = ""] = /^\/\*\n((?: .*\n?)*)/m.exec(await readFile(join(folder, "_headers"), "utf8")) ?? [];
  const pairs = [...ofAll.matchAll(/^\s+([\w-]+): (.*)$/gm)].map(([, name = "", value = ""]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(pairs.filter(([name]) => name !== "strict-transport-security"));
}
