// The request pipeline of all APIs (docs/internals/architecture.md, "Path of a request").
import type { Handler } from "hono";
import { tryDecodeURIComponent } from "hono/utils/url";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { CallResult, Caller } from "@gateway/protocol/connection.ts";
import type { Failure, Outcome } from "@gateway/protocol/failures.ts";
import { outputOf } from "@gateway/protocol/operations.ts";
import { LruMap } from "@gateway/domain/lru-map.ts";
import type { AppContext, AppEnv } from "#root/src/http/app-env.ts";
import { DISCARD_OF_STRANGERS, IncomingBody } from "#root/src/http/body/incoming-body.ts";
import { fileStorageOf } from "#root/src/http/request-files.ts";
import { rowsByPath } from "#root/src/http/path-pattern.ts";
import { PathTable } from "#root/src/http/path-table.ts";
import type { ReadableRoute, ReadRequest } from "#root/src/http/read-request.ts";
import { callConnection, screenCall } from "#root/src/services/connections/call.ts";
import { failureOfException } from "#root/src/services/exceptions.ts";
import { callOf, type ShownCall, UNREAD } from "./context.ts";
import type { ServedRoute } from "./route.ts";

const MAX_CHARACTERS = 4_000_000;

/** Caches rendered responses, because rendering costs more than the rest of a cached read. Each API has its own cache. */
export class RenderedResponses {
  readonly #texts = new LruMap<string>(MAX_CHARACTERS, (text, key) => text.length + key.length);
  #clearedAt = 0;

  /** Entries expire no later than the object's own cache. `now` is in Unix ms. */
  get(route: { name: string }, json: string, now: number, render: () => string): string {
    if (Math.abs(now - this.#clearedAt) >= LIMITS.readCacheMs) {
      this.#texts.clear();
      this.#clearedAt = now;
    }
    const key = `${route.name} ${json}`;
    const cached = this.#texts.get(key);
    if (cached !== undefined) return cached;
    const text = render();
    this.#texts.set(key, text);
    return text;
  }
}

export type Params = Readonly<Record<string, string>>;
export type Guarded<R> = Exclude<R, { kind: "public" }>;
type OperationOf<R> = Extract<R, { kind: "operation" }>;
type ActionOf<R> = Extract<R, { kind: "action" }>;
type RequestFacts = Omit<ReadRequest, "parsed">;

/** `connection` is the object's UUID. `shown` is the caller as the object's request log shows it. */
export type Callee = { connection: string; caller: Caller; shown?: ShownCall };

/** The differences between the APIs. `C` is the context of an authenticated request. */
export type Surface<C, R extends ServedRoute<C>> = {
  prefix: string;
  routes: readonly R[];
  refuse(c: AppContext, failure: Failure): Response | Promise<Response>;
  /** `methods` lists the methods that this path supports, or null if no route has this path. */
  refuseUnmatched(c: AppContext, methods: string | null): Promise<Response>;
  authenticate(c: AppContext, row: Guarded<R>, params: Params): Promise<{ ok: true; context: C } | { ok: false; response: Response }>;
  authorize(context: C, row: Guarded<R>): Failure | null;
  read(context: C, row: ReadableRoute, body: IncomingBody, params: Params): Promise<ReadRequest>;
  /** If true, rejects an invalid request before calling the object. Otherwise the object's checks come first. */
  validatesFirst: boolean;
  calleeOf(context: C, row: OperationOf<R>): Callee;
  /** If true, the object is called before a long body is read, so that it can refuse the request. */
  screensLongBodies: boolean;
  /** Adds the call result's limits and flags to the headers and the log. */
  noteResult(c: AppContext, result: CallResult): void;
  admit(context: C, row: ActionOf<R>, request: RequestFacts, run: () => Promise<Outcome<unknown>>): Promise<Outcome<unknown>>;
};

type Matched<R> = { row: R | null; methods: string | null; params: Params };

/** There is a single Hono route, because Hono's linear route matching takes longer than handling most requests. */
export function serve<C extends { c: AppContext }, R extends ServedRoute<C>>(surface: Surface<C, R>): Handler<AppEnv> {
  const match = matcherOf(surface);
  const rendered = new RenderedResponses();
  // Hono's `onError` is not used, because a sub-application with its own handler is slower on every request.
  return async (c) => {
    try {
      return await respond(surface, rendered, c, match(c));
    } catch (error) {
      c.error = error instanceof Error ? error : new Error(String(error));
      return surface.refuse(c, { code: failureOfException(error) });
    }
  };
}

function matcherOf<R extends { path: string; method: string; streams?: boolean }>(surface: { prefix: string; routes: readonly R[] }) {
  const paths = new PathTable<{ methods: string; rows: ReadonlyMap<string, R> }>();
  for (const { path, methods, rows } of rowsByPath(surface.routes)) {
    paths.add(path, { methods, rows: new Map(rows.map((row) => [row.method.toUpperCase(), row])) });
  }
  return ({ req }: AppContext): Matched<R> => {
    const path = paths.find(req.path.slice(surface.prefix.length));
    if (path === null) return { row: null, methods: null, params: {} };
    const { methods, rows } = path.value;
    const isHead = req.method === "HEAD";
    const found = rows.get(isHead ? "GET" : req.method) ?? null;
    // HEAD opens no stream, because a stream that nobody reads would close the caller's other stream.
    const row = isHead && found?.streams === true ? null : found;
    return { row, methods: row === null ? methods : null, params: decoded(path.params) };
  };
}

/** Leaves text that cannot be decoded unchanged, as Hono does. */
function decoded(params: Record<string, string>): Params {
  for (const [name, text] of Object.entries(params)) if (text.includes("%")) params[name] = tryDecodeURIComponent(text);
  return params;
}

async function respond<C extends { c: AppContext }, R extends ServedRoute<C>>(
  surface: Surface<C, R>,
  rendered: RenderedResponses,
  c: AppContext,
  { row, methods, params }: Matched<R>,
): Promise<Response> {
  c.get("facts").route = row === null ? `${surface.prefix}/*` : surface.prefix + row.path;
  if (row === null) return surface.refuseUnmatched(c, methods);
  if (row.kind === "public") return row.respond(c);
  const guarded = row as Guarded<R>;
  const authenticated = await surface.authenticate(c, guarded, params);
  if (!authenticated.ok) return authenticated.response;
  const refusal = surface.authorize(authenticated.context, guarded);
  if (refusal !== null) return surface.refuse(c, refusal);
  return row.kind === "operation"
    ? performOperation(surface, rendered, authenticated.context, row as OperationOf<R>, params)
    : runAction(surface, authenticated.context, row as ActionOf<R>, params);
}

async function performOperation<C extends { c: AppContext }, R extends ServedRoute<C>>(
  surface: Surface<C, R>,
  rendered: RenderedResponses,
  context: C,
  row: OperationOf<R>,
  params: Params,
): Promise<Response> {
  const { c } = context;
  const { mutating, counted, cached, operation } = row;
  const flags = { mutating, counted, cached };
  c.get("facts").operation = operation;
  const { connection, caller, shown } = surface.calleeOf(context, row);
  const body = new IncomingBody(c.req.raw);
  if (surface.screensLongBodies && mutating && (await body.isLongerThan(LIMITS.unscreenedBytes))) {
    const refused = await screenCall(c.env, connection, callOf(c, caller, UNREAD, { flags, operation, shown }));
    if (refused?.ok === false) {
      await body.discard(DISCARD_OF_STRANGERS);
      surface.noteResult(c, refused);
      return surface.refuse(c, refused.failure);
    }
  }
  const { parsed, ...request } = await surface.read(context, row, body, params);
  const { rejected } = request;
  if (rejected !== null && (surface.validatesFirst || rejected.code === "unavailable")) return surface.refuse(c, rejected);
  const input = rejected === null ? row.input(parsed) : {};
  const call = callOf(c, caller, request, { flags, operation, input, shown });
  const storeFiles = parsed.files.storeFiles(fileStorageOf(c, connection));
  const result = await callConnection(c.env, connection, call, storeFiles).finally(() => parsed.files.release());
  surface.noteResult(c, result);
  if (!result.ok) return surface.refuse(c, result.failure);
  if (row.noStore) c.header("Cache-Control", "no-store");
  // Only cached reads are repeated, so other results are not kept in rendered form.
  if (result.age !== undefined) {
    const text = rendered.get(row, result.json, Date.now(), () =>
      JSON.stringify(row.render(outputOf(operation, result.json), context, parsed)),
    );
    return c.body(text, 200, { "Content-Type": "application/json" });
  }
  const output: unknown = outputOf(operation, result.json);
  const accepted = row.accepted?.of(output) ?? null;
  return accepted === null ? reply(c, await row.render(output, context, parsed), row.status) : c.json(accepted, 202);
}

async function runAction<C extends { c: AppContext }, R extends ServedRoute<C>>(
  surface: Surface<C, R>,
  context: C,
  row: ActionOf<R>,
  params: Params,
): Promise<Response> {
  const { c } = context;
  const { parsed, ...request } = await surface.read(context, row, new IncomingBody(c.req.raw), params);
  if (request.rejected !== null && surface.validatesFirst) return surface.refuse(c, request.rejected);
  const outcome = await surface.admit(context, row, request, () => row.run(context, parsed));
  if (!outcome.ok) return surface.refuse(c, outcome.failure);
  if (row.noStore) c.header("Cache-Control", "no-store");
  return reply(c, await row.render(outcome.value, context), row.status);
}

function reply(c: AppContext, body: unknown, status: 200 | 201 | 202): Response {
  return body instanceof Response ? body : c.json(body as object, status);
}
