// Serves the Graph API over HTTP on loopback, including the file host.
import { createHash } from "node:crypto";
import type { Server } from "node:http";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import * as z from "zod";
import { NO_IDLE_TIMEOUT } from "../../control/server.ts";
import type { App, CloudFault } from "../model.ts";
import { accessOf, find, type Found, RequestLog, shownAnswer, shownHeaders, shownQuery } from "./access.ts";
import { graphError, unknownObject, type GraphReply } from "./errors.ts";
import { groupEdges } from "./groups.ts";
import { answerFile, fileRequest, mediaEdges } from "./media.ts";
import { messageEdges } from "./messages.ts";
import { numberEdges, callbackOf } from "./number.ts";
import { peopleEdges, profileEdges } from "./profile.ts";
import { qrCodeEdges, qrImageAt } from "./qr-codes.ts";
import { invalid, type Edge, type GraphCall, type GraphDependencies, json, NOTHING, on, SUCCESS } from "./route.ts";

const OBJECT = "whatsapp_business_account";

const Subscription = z.object({
  object: z.literal(OBJECT),
  callback_url: z.string(),
  verify_token: z.string().default(""),
  fields: z.union([z.string().transform((names) => names.split(",").map((name) => name.trim())), z.array(z.string())]).optional(),
});

const appEdges: readonly Edge[] = [
  on("app", "GET", "", NOTHING, ({ app: { app_id: id, name } }) => json({ id, name })),
  on("app", "GET", "subscriptions", NOTHING, ({ app }) => json({ data: subscriptionsOf(app) })),
  on("app", "POST", "subscriptions", Subscription, async ({ app }, { cloud, body }) => {
    const set = await callbackOf(cloud, app.app_id, body.callback_url, body.verify_token);
    if (!set.ok) return set.reply;
    cloud.documents.put("app", app.app_id, { ...app, callback: set.callback, fields: body.fields ?? app.fields });
    return json(SUCCESS);
  }),
  on("app", "DELETE", "subscriptions", NOTHING, ({ app }, { cloud }) => {
    cloud.documents.put("app", app.app_id, { ...app, callback: null, fields: [] });
    return json(SUCCESS);
  }),
];

function subscriptionsOf({ fields, callback }: App): object[] {
  if (fields.length === 0) return [];
  const named = fields.map((name) => ({ name, version: "v23.0" }));
  return [{ object: OBJECT, ...(callback && { callback_url: callback.url }), active: true, fields: named }];
}

const EDGES: readonly Edge[] = [
  ...numberEdges,
  ...appEdges,
  ...messageEdges,
  ...mediaEdges,
  ...profileEdges,
  ...peopleEdges,
  ...qrCodeEdges,
  ...groupEdges,
];
const PATH = /^(?:\/v\d+\.\d+)?\/([^/]+)(?:\/(.+))?$/;
const MAX_BODY_BYTES = 110 * 1024 * 1024;

type Asked = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  origin: string;
  fields: Record<string, unknown>;
  file: GraphCall<unknown>["file"];
  readable: boolean;
};

type Outcome = {
  reply: GraphReply | null;
  number: string | null;
  fault: CloudFault | null;
};

export function createGraph(deps: GraphDependencies): Server {
  const log = new RequestLog(deps.cloud.documents.db);
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.all("*", async (c) => {
    const at = Date.now();
    if (Number(c.req.header("content-length") ?? 0) > MAX_BODY_BYTES) return write(graphError(100, { http: 413 }));
    const asked = await read(c.req.raw);
    const { reply, number, fault } = await answer(deps, asked);
    log.write({
      at,
      phone_number_id: number,
      method: asked.method,
      path: asked.path,
      query: shownQuery(asked.query),
      headers: shownHeaders(asked.headers),
      body: shownBody(asked),
      status: reply?.status ?? null,
      answer: reply && shownAnswer(reply),
      fault: fault?.kind ?? null,
      took_ms: Date.now() - at,
    });
    if (fault?.kind === "delay_answer") await new Promise((resolve) => setTimeout(resolve, fault.ms ?? 1_000));
    if (reply) return write(reply);
    c.env.outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  });
  app.onError(() => write(graphError(1)));
  return createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false, serverOptions: NO_IDLE_TIMEOUT }) as Server;
}

type Target = {
  number: string | null;
  perform: () => GraphReply | Promise<GraphReply>;
};

async function answer(deps: GraphDependencies, asked: Asked): Promise<Outcome> {
  const { method, path, query } = asked;
  const target = targetOf(deps, asked);
  if (!("perform" in target)) return { reply: target, number: null, fault: null };
  const { number } = target;
  const request = `${method} ${path}${query.size > 0 ? `?${query.toString()}` : ""}`;
  const strike = (kind: CloudFault["kind"]) => (number === null ? null : deps.cloud.faults.strike(number, kind, request));

  const refused = strike("error");
  if (refused) return { reply: errorOf(refused), number, fault: refused };
  const dropped = strike("drop_request");
  if (dropped) return { reply: null, number, fault: dropped };
  const reply = await target.perform();
  if (reply.status !== 200) return { reply, number, fault: null };
  const lost = strike("drop_answer");
  if (lost) return { reply: null, number, fault: lost };
  const garbled = strike("garbage_answer");
  if (garbled) return { reply: { status: garbled.http ?? 200, bytes: Buffer.from("<html>"), type: "text/html" }, number, fault: garbled };
  return { reply, number, fault: strike("delay_answer") };
}

function targetOf(deps: GraphDependencies, asked: Asked): Target | GraphReply {
  const { method, path, query, headers } = asked;
  const file = method === "GET" ? fileRequest(deps.cloud, path, query) : null;
  if (file) return { ...file, perform: () => answerFile(deps, path, query, headers) };
  const image = method === "GET" ? qrImageAt(deps.cloud, path) : null;
  if (image) return { number: image.number, perform: () => image.reply };
  const [, id = "", edge = ""] = PATH.exec(path) ?? [];
  if (!PATH.test(path)) return graphError(2_500, { message: `Unknown path components: ${path}` });
  const access = accessOf(deps.cloud, headers, query);
  if (!access.ok) return access.reply;
  const found = find(deps, decodeURIComponent(id), access);
  if (!found) return unknownObject(method, id);
  return { number: found.number, perform: () => run(deps, asked, { found, app: access.app }, edge) };
}

async function run(deps: GraphDependencies, request: Asked, { found, app }: { found: Found; app: App }, edge: string): Promise<GraphReply> {
  const { method, path, query, headers, origin, fields, file, readable } = request;
  const [name = "", key = "", ...more] = edge.split("/");
  const asked = key === "" ? name : `${name}/:key`;
  const row = EDGES.find((one) => one.node === found.kind && one.method === method && one.edge === asked);
  if (!row || more.length > 0) return graphError(2_500, { message: `Unknown path components: ${path}` });
  if (!readable) return graphError(100, { message: "(#100) Invalid JSON" });
  const body = row.body.safeParse(fields);
  if (!body.success) return invalid(body.error.issues[0]);
  const reply = await row.run(found.node, {
    ...deps,
    app,
    query,
    key: key === "" ? null : decodeURIComponent(key),
    headers,
    origin,
    file,
    body: body.data,
  });
  // Waits until changes are durable, so that they survive `kill -9` once the response is sent.
  if (method !== "GET") await deps.network.durable();
  return reply;
}

function errorOf({ code = 131_000, subcode, http, ms }: CloudFault): GraphReply {
  const headers = ms === undefined ? undefined : { "retry-after": String(Math.ceil(ms / 1_000)) };
  return graphError(code, { subcode, http, headers });
}

async function read(request: Request): Promise<Asked> {
  const url = new URL(request.url);
  const asked: Asked = {
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    origin: url.origin,
    fields: Object.fromEntries([...url.searchParams].filter(([name]) => name !== "access_token" && name !== "appsecret_proof")),
    file: null,
    readable: true,
  };
  const type = request.headers.get("content-type") ?? "";
  if (type.startsWith("multipart/form-data") || type.startsWith("application/x-www-form-urlencoded")) {
    const form = await request.formData().catch(() => null);
    asked.readable = form !== null;
    for (const [name, value] of form ?? []) {
      if (typeof value === "string") asked.fields[name] = value;
      else asked.file = { bytes: Buffer.from(await value.arrayBuffer()), type: value.type, name: value.name || null };
    }
    return asked;
  }
  const bytes = Buffer.from(await request.arrayBuffer());
  if (bytes.length === 0) return asked;
  if (!type.startsWith("application/json")) return { ...asked, file: { bytes, type, name: null } };
  try {
    return { ...asked, fields: { ...asked.fields, ...(JSON.parse(bytes.toString()) as object) } };
  } catch {
    return { ...asked, readable: false };
  }
}

function shownBody({ method, fields, query, file }: Asked): unknown {
  const own = Object.fromEntries(Object.entries(fields).filter(([name, value]) => query.get(name) !== value));
  if (file) {
    const sha256 = createHash("sha256").update(file.bytes).digest("hex");
    return { ...own, file: { type: file.type, size: file.bytes.length, sha256, filename: file.name } };
  }
  return method === "GET" || Object.keys(own).length === 0 ? null : own;
}

function write({ status, json, bytes, type, headers }: GraphReply): Response {
  if (bytes) {
    const body = bytes as Uint8Array<ArrayBuffer>;
    return new Response(body, { status, headers: { "content-type": type ?? "application/octet-stream", ...headers } });
  }
  return new Response(JSON.stringify(json), { status, headers: { "content-type": "application/json; charset=UTF-8", ...headers } });
}
