// The Account API: routes, authentication, authorization and admission of every row of the table.
import { Hono } from "hono";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { IncomingBody } from "../http/body/incoming-body.ts";
import { callOf } from "../http/call.ts";
import { englishFailure } from "../http/english-failure.ts";
import { ENGLISH_FIELDS } from "../http/field-errors.ts";
import { log, errorFields } from "../log.ts";
import { honoPath, rowsByPath, wrongMethod } from "../http/path-pattern.ts";
import { readRequest } from "../http/read-request.ts";
import { fileStorageOf } from "../http/file-storage.ts";
import { setAnswerHeaders } from "../http/answer-headers.ts";
import type { Answer, CallFlags } from "@gateway/protocol/connection.ts";
import { fail, type Failure, type Outcome } from "@gateway/protocol/failures.ts";
import { outputOf } from "@gateway/protocol/operations.ts";
import { passAccountGuard } from "../services/accounts/guard.ts";
import { callConnection } from "../services/connections/call.ts";
import { failureOfException } from "../services/object-stubs.ts";
import { authenticate } from "./account/authenticate.ts";
import type { ActionRoute, OperationRoute, Route, RouteRow } from "./account/route.ts";
import { FAMILIES, ROUTES } from "./account/routes.ts";
import type { RouteSummary } from "./answers.ts";
import { accessOf, mayAccess, onlyInstances, type RequestContext } from "./account/request-context.ts";

export const ACCOUNT_API = "/api";

const ROUTE_SUMMARIES: readonly RouteSummary[] = ROUTES.map((row) => ({
  method: row.method,
  path: row.path,
  kinds: row.kind === "operation" ? row.kinds : null,
  fields: row.kind === "operation" ? row.fields : {},
  business: row.kind === "operation" && row.business,
}));

export function accountApi(): Hono<AppEnv> {
  const surface = new Hono<AppEnv>();
  for (const { path, methods, rows } of rowsByPath(ROUTES)) {
    for (const row of rows) {
      surface.on(row.method.toUpperCase(), honoPath(path), (c) => {
        c.get("facts").route = ACCOUNT_API + path;
        return row.kind === "public" ? row.answer(c, FAMILIES) : answerAuthenticated(c, row);
      });
    }
    surface.all(honoPath(path), (c) => {
      c.get("facts").route = `${ACCOUNT_API}/*`;
      return answerWrongMethod(c, methods);
    });
  }
  surface.onError((error, c) => englishFailure(c, failureOfException(error)));
  return surface;
}

/** Only a valid credential learns which methods a path has. A refused one counts against its address, as anywhere else. */
async function answerWrongMethod(c: AppContext, methods: string): Promise<Response> {
  const { headers } = c.req.raw;
  const isKnown = (headers.has("x-api-key") || headers.has("authorization")) && (await authenticate(c, null)).ok;
  return englishFailure(c, isKnown ? wrongMethod(c, methods) : "route_not_found");
}

async function answerAuthenticated(c: AppContext, row: Exclude<Route, { kind: "public" }>): Promise<Response> {
  // Administrators act on every account's instances, by no access of their own.
  const instance = row.scope === "admin" ? null : (c.req.param("instanceId") ?? null);
  const caller = await authenticate(c, instance);
  if (!caller.ok) return caller.answer;
  const context: RequestContext = { ...caller.context, routes: ROUTE_SUMMARIES };
  const refused = refusalOf(context, row, instance !== null);
  if (refused !== null) return englishFailure(c, refused);
  if (context.access !== null) c.get("facts").connection = context.access.connection.uuid;
  return row.kind === "operation" ? runOperation(context, row) : runAction(context, row);
}

/** Another account's resources answer 404; what the caller may see but not do answers 403 (docs/use/apis.md, "Errors"). */
function refusalOf(context: RequestContext, row: Exclude<Route, { kind: "public" }>, namesInstance: boolean): Failure | null {
  if (row.scope !== null && !context.scopes.includes(row.scope)) return { code: "forbidden", details: { scope: row.scope } };
  if (row.scope === "admin" && onlyInstances(context) !== null) return { code: "forbidden", details: { reason: "key_restricted" } };
  if (row.kind === "action" && row.bearerOnly && context.key !== null) return { code: "bearer_required" };
  if (!namesInstance) return null;
  const { access } = context;
  if (access === null) return { code: "instance_not_found" };
  if (!mayAccess(context, access.connection.uuid)) return { code: "forbidden" };
  return row.kind === "action" && row.ownerOnly && access.role !== "owner" ? { code: "forbidden" } : null;
}

async function runOperation(context: RequestContext, row: OperationRoute): Promise<Response> {
  const { c } = context;
  const { connection, role } = accessOf(context);
  c.get("facts").operation = row.operation;
  const { parsed, ...request } = await readRequest(c, row, new IncomingBody(c.req.raw), ENGLISH_FIELDS);
  if (request.rejected?.code === "unavailable") return englishFailure(c, request.rejected);
  const input = request.rejected === null ? row.input(parsed) : {};
  const call = callOf(c, { kind: "account", subject: context.subject, role }, request, {
    flags: flagsOf(row),
    operation: row.operation,
    input,
    shown: { caller: context.key === null ? "token" : "account_key", name: context.key?.name ?? null, status: row.status },
  });
  const storeFiles = parsed.files.storeFiles(fileStorageOf(c, connection.uuid));
  const answer = await callConnection(c.env, connection.uuid, call, storeFiles).finally(() => parsed.files.release());
  return rendered(c, row, answer, (json) => {
    const output: unknown = outputOf(row.operation, json);
    const accepted = row.accepted?.of(output) ?? null;
    return accepted === null ? row.render(output, context, parsed) : c.json(accepted, 202);
  });
}

async function runAction(context: RequestContext, row: ActionRoute): Promise<Response> {
  const { c, user, subject } = context;
  const { parsed, ...request } = await readRequest(c, row, new IncomingBody(c.req.raw), ENGLISH_FIELDS);
  const call = callOf(c, { kind: "account", subject, role: "owner" }, request, { flags: flagsOf(row), operation: row.name });
  const answer = await passAccountGuard(c.env, user.id, call, () => guarded(context, () => row.run(context, parsed)));
  return rendered(c, row, answer, (json) => row.render(JSON.parse(json), context));
}

/** This API serves no read from a cache. */
function flagsOf(row: RouteRow): CallFlags {
  const { mutating } = row;
  return { mutating, counted: row.kind === "operation" ? row.counted : !mutating, cached: false };
}

/** An exception must not cross RPC: it is logged here, where its stack is known, and answered as a failure. */
async function guarded(context: RequestContext, run: () => Promise<Outcome<unknown>>): Promise<Outcome<string>> {
  try {
    const outcome = await run();
    return outcome.ok ? { ok: true, value: JSON.stringify(outcome.value) } : outcome;
  } catch (error) {
    log("account.failed", { requestId: context.c.get("requestId"), user: context.user.id, ...errorFields(error) });
    return fail(failureOfException(error));
  }
}

async function rendered(
  c: AppContext,
  row: RouteRow,
  answer: Answer,
  render: (json: string) => object | Response | Promise<object>,
): Promise<Response> {
  setAnswerHeaders(c, answer);
  if (!answer.ok) return englishFailure(c, answer.failure);
  if (row.noStore) c.header("Cache-Control", "no-store");
  const body = await render(answer.json);
  return body instanceof Response ? body : c.json(body, row.status);
}
