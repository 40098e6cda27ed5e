// The Account API: every route of the table, for whoever has a key or a token of the account.
import { Hono } from "hono";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { callOf } from "../http/call.ts";
import { englishFailure } from "../http/english-failure.ts";
import { log, errorFields } from "../log.ts";
import { honoPath, literalFirst } from "../http/path-pattern.ts";
import { readRequest } from "../http/read-request.ts";
import { takingFiles } from "../http/file-storage.ts";
import { setAnswerHeaders } from "../http/answer-headers.ts";
import type { Answer, CallFlags } from "../protocol/connection.ts";
import { fail, type Failure, type Outcome } from "../protocol/failures.ts";
import { OPERATIONS } from "../protocol/operations.ts";
import { passAccountGuard } from "../services/accounts/guard.ts";
import { ask } from "../services/connections/ask.ts";
import { isPassingTrouble } from "../services/connections/trouble.ts";
import { findSubscription, isActive } from "../services/subscriptions/subscription.ts";
import { authenticate } from "./authenticate.ts";
import type { OperationRoute, Route, VerbRoute } from "./route.ts";
import { ROUTES } from "./routes.ts";
import { accessOf, reaches, type RouteFact, type Visit } from "./visit.ts";

export const ACCOUNT_API = "/api";

const FACTS: readonly RouteFact[] = ROUTES.map((row) => ({
  method: row.method.toUpperCase(),
  path: row.path,
  kinds: row.kind === "operation" ? row.kinds : null,
}));

export function accountApi(): Hono<AppEnv> {
  const surface = new Hono<AppEnv>();
  for (const row of literalFirst(ROUTES)) {
    surface.on(row.method.toUpperCase(), honoPath(row.path), (c) => {
      c.var.facts.route = ACCOUNT_API + row.path;
      return row.kind === "public" ? row.answer(c, ROUTES) : answerKnown(c, row);
    });
  }
  surface.onError((_, c) => englishFailure(c, "internal_error"));
  return surface;
}

async function answerKnown(c: AppContext, row: Exclude<Route, { kind: "public" }>): Promise<Response> {
  const instance = c.req.param("instanceId") ?? null;
  const caller = await authenticate(c, instance);
  if (!caller.ok) return caller.answer;
  const visit: Visit = { ...caller.visit, routes: FACTS };
  const refused = refusalOf(visit, row, instance !== null);
  if (refused !== null) return englishFailure(c, refused);
  if (visit.access !== null) c.var.facts.connection = visit.access.connection.uuid;
  return row.kind === "operation" ? carryOut(visit, row) : act(visit, row);
}

/** What is somebody else's does not exist; what is there but not for this caller is forbidden (docs/apis.md, "Errors"). */
function refusalOf(visit: Visit, row: Exclude<Route, { kind: "public" }>, namesInstance: boolean): Failure | null {
  if (row.scope !== null && !visit.scopes.includes(row.scope)) return { code: "forbidden", details: { scope: row.scope } };
  if (row.kind === "verb" && row.bearerOnly && visit.key !== null) return { code: "bearer_required" };
  if (!namesInstance) return null;
  const { access } = visit;
  if (access === null) return { code: "instance_not_found" };
  if (!reaches(visit, access.connection.uuid)) return { code: "forbidden" };
  return row.kind === "verb" && row.ownerOnly && access.role !== "owner" ? { code: "forbidden" } : null;
}

async function carryOut(visit: Visit, row: OperationRoute): Promise<Response> {
  const { c } = visit;
  const { connection, role } = accessOf(visit);
  c.var.facts.operation = row.operation;
  const { given, ...request } = await readRequest(c, row);
  if (row.needsSubscription && !isActive(await findSubscription(c.env.DB, connection.ownerId)))
    return englishFailure(c, "subscription_required");
  const input = request.rejected === null ? row.input(given) : {};
  const call = callOf(c, { kind: "account", subject: visit.subject, role }, request, {
    flags: flagsOf(row),
    operation: row.operation,
    input,
  });
  const answer = await ask(c.env, connection.uuid, call, given.files.storing(takingFiles(c, connection.uuid)));
  return rendered(c, row, answer, (json) => row.render(OPERATIONS[row.operation].output.parse(json), visit, given));
}

async function act(visit: Visit, row: VerbRoute): Promise<Response> {
  const { c, user, subject } = visit;
  const { given, ...request } = await readRequest(c, row);
  const call = callOf(c, { kind: "account", subject, role: "owner" }, request, { flags: flagsOf(row), operation: null });
  const answer = await passAccountGuard(c.env, user.id, call, () => guarded(visit, () => row.act(visit, given)));
  return rendered(c, row, answer, (json) => row.render(json, visit));
}

/** Every read counts: on this surface none is served from a cache. */
function flagsOf({ mutating }: Route): CallFlags {
  return { mutating, counted: !mutating, cached: false };
}

/** Nothing is thrown across RPC: what went wrong is written down here, where it is known. */
async function guarded(visit: Visit, act: () => Promise<Outcome<unknown>>): Promise<Outcome<string>> {
  try {
    const outcome = await act();
    return outcome.ok ? { ok: true, value: JSON.stringify(outcome.value) } : outcome;
  } catch (error) {
    log("account.failed", { requestId: visit.c.var.requestId, user: visit.user.id, ...errorFields(error) });
    return fail(isPassingTrouble(error) ? "unavailable" : "internal_error");
  }
}

async function rendered(
  c: AppContext,
  row: Route,
  answer: Answer,
  render: (json: unknown) => object | Response | Promise<object>,
): Promise<Response> {
  setAnswerHeaders(c, answer);
  if (!answer.ok) return englishFailure(c, answer.failure);
  if (row.noStore) c.header("Cache-Control", "no-store");
  const body = await render(JSON.parse(answer.json));
  return body instanceof Response ? body : c.json(body, row.status);
}
