// The Connection API: every route of the table, each through exactly one call of the connection's object.
import { Hono } from "hono";
import { tryDecodeURIComponent } from "hono/utils/url";
import { LIMITS } from "@gateway/domain/limits.ts";
import { settingsOf } from "../env.ts";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { DISCARD_OF_STRANGERS, IncomingBody } from "../http/body/incoming-body.ts";
import { callOf } from "../http/call.ts";
import { PORTUGUESE_FIELDS } from "../http/field-errors.ts";
import { fileStorageOf } from "../http/file-storage.ts";
import { rowsByPath, wrongMethod } from "../http/path-pattern.ts";
import { PathTable } from "../http/path-table.ts";
import { readRequest } from "../http/read-request.ts";
import { noteOldKey, refuseKey } from "../http/refuse-key.ts";
import type { Answer, Call, Caller } from "@gateway/protocol/connection.ts";
import { callConnection, screenCall } from "../services/connections/call.ts";
import { failureOfException } from "../services/object-stubs.ts";
import { fail } from "@gateway/protocol/failures.ts";
import { renderAnswer } from "./connection/answer.ts";
import { type KnownKey, knownKey } from "./connection/credential.ts";
import { portugueseFailure } from "./connection/failure.ts";
import { type Route, ROUTES } from "./connection/routes.ts";

export const CONNECTION_API = "/api/v1";

/** What is asked for: the row, or null; `methods` when the path has others than the one of the request. */
type Asked = { row: Route | null; methods: string | null; params: Readonly<Record<string, string>> };

/** One route of Hono's: its search of them all takes longer than most answers. */
export function connectionApi(): Hono<AppEnv> {
  const paths = new PathTable<{ methods: string; rows: ReadonlyMap<string, Route> }>();
  for (const { path, methods, rows } of rowsByPath(ROUTES)) {
    paths.add(path, { methods, rows: new Map(rows.map((row) => [row.method.toUpperCase(), row])) });
  }
  const askedOf = ({ req }: AppContext): Asked => {
    const found = paths.find(req.path.slice(CONNECTION_API.length));
    // An unknown route is told apart only with a valid key (docs/use/connection-api.md, "Authentication").
    if (found === null) return { row: null, methods: null, params: {} };
    const { methods, rows } = found.value;
    const row = rows.get(req.method === "HEAD" ? "GET" : req.method) ?? null;
    return { row, methods: row === null ? methods : null, params: decoded(found.params) };
  };
  return new Hono<AppEnv>().all("*", (c) => answerSafely(c, askedOf(c)));
}

/** As Hono decodes parameters: what cannot be decoded stays as it is. */
function decoded(params: Record<string, string>): Record<string, string> {
  for (const [name, text] of Object.entries(params)) if (text.includes("%")) params[name] = tryDecodeURIComponent(text);
  return params;
}

/** Not by Hono's `onError`: a sub-application that has one of its own pays for it on every request. */
async function answerSafely(c: AppContext, asked: Asked): Promise<Response> {
  try {
    return await answerRoute(c, asked);
  } catch (error) {
    c.error = error instanceof Error ? error : new Error(String(error));
    return portugueseFailure(c, failureOfException(error));
  }
}

async function answerRoute(c: AppContext, { row, methods, params }: Asked): Promise<Response> {
  const facts = c.get("facts");
  facts.route = row === null ? `${CONNECTION_API}/*` : CONNECTION_API + row.path;
  const key = knownKey(settingsOf(c.env).KEY_SECRET, c.req.raw.headers);
  if (key === null) return refuseKey(c, portugueseFailure);
  facts.connection = key.connection;
  noteOldKey(c, key.kid);
  if (row !== null) facts.operation = row.operation;
  const answer =
    row === null ? await callConnection(c.env, key.connection, callOfNoRoute(c, key.caller)) : await carryOut(c, row, params, key);
  if (!answer.ok && answer.failure.code === "unauthorized") return refuseKey(c, portugueseFailure);
  if (!answer.ok && answer.failure.code === "route_not_found" && methods !== null) {
    return renderAnswer(c, row, { ...answer, failure: wrongMethod(c, methods) });
  }
  return renderAnswer(c, row, answer);
}

async function carryOut(c: AppContext, row: Route, params: Asked["params"], { connection, caller }: KnownKey): Promise<Answer> {
  const { mutating, counted, cached, operation } = row;
  const body = new IncomingBody(c.req.raw);
  if (mutating && (await body.isLongerThan(LIMITS.unscreenedBytes))) {
    const call = callOf(c, caller, NOT_READ, { flags: { mutating, counted, cached }, operation, shown: BY_KEY });
    const refused = await screenCall(c.env, connection, call);
    if (refused !== null) {
      await body.discard(DISCARD_OF_STRANGERS);
      return refused;
    }
  }
  const { parsed, ...request } = await readRequest(c, row, body, PORTUGUESE_FIELDS, params);
  if (request.rejected?.code === "unavailable") return fail(request.rejected);
  const input = request.rejected === null ? row.input(parsed) : {};
  const call = callOf(c, caller, request, { flags: { mutating, counted, cached }, operation, input, shown: BY_KEY });
  try {
    return await callConnection(c.env, connection, call, parsed.files.storeFiles(fileStorageOf(c, connection)));
  } finally {
    parsed.files.release();
  }
}

const BY_KEY = { caller: "key" } as const;
const NOT_READ = { path: "", query: "", fingerprint: "", rejected: null };

/** A call for a route that does not exist: the object runs the checks that come before the 404. */
function callOfNoRoute(c: AppContext, caller: Caller): Call {
  const flags = { mutating: false, counted: false, cached: false };
  return callOf(c, caller, NOT_READ, { flags, operation: null, shown: BY_KEY });
}
