// The Account API, called with an account key or a bearer token.
import type { Handler } from "hono";
import type { AppContext, AppEnv } from "#root/src/http/app-env.ts";
import { setResponseHeaders } from "#root/src/http/response-headers.ts";
import { englishFailure } from "#root/src/http/english-failure.ts";
import { ENGLISH_FIELDS } from "#root/src/http/field-errors.ts";
import { wrongMethod } from "#root/src/http/path-pattern.ts";
import { readRequest } from "#root/src/http/read-request.ts";
import { errorFields, log } from "#root/src/log.ts";
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { passAccountGuard } from "#root/src/services/accounts/guard.ts";
import { failureOfException } from "#root/src/services/exceptions.ts";
import { authenticate } from "./account/authenticate.ts";
import { type Route, ROUTES } from "./account/routes.ts";
import { callOf, accessOf, type AccountContext, mayAccess, onlyInstances } from "./context.ts";
import { type Guarded, serve, type Surface } from "./serve.ts";

const surface: Omit<Surface<AccountContext, Route>, "prefix"> = {
  routes: ROUTES,
  refuse: englishFailure,
  refuseUnmatched,
  authenticate: async (c, row, { instanceId = null }) => {
    const caller = await authenticate(c, actsOnInstance(row) ? instanceId : null);
    return caller.ok ? { ok: true, context: { ...caller.context, routes: ROUTES } } : caller;
  },
  authorize,
  read: ({ c }, row, body, params) => readRequest(c, row, body, ENGLISH_FIELDS, params),
  validatesFirst: false,
  calleeOf: (context, { status }) => {
    const { connection, role } = accessOf(context);
    const { subject, key } = context;
    return {
      connection: connection.uuid,
      caller: { kind: "account", subject, role },
      shown: { caller: key === null ? "token" : "account_key", name: key?.name ?? null, status },
    };
  },
  screensLongBodies: false,
  noteResult: setResponseHeaders,
  admit: async (context, { mutating, name }, request, run) => {
    const { c, user, subject } = context;
    const flags = { mutating, counted: !mutating, cached: false };
    const call = callOf(c, { kind: "account", subject, role: "owner" }, request, { flags, operation: name });
    const result = await passAccountGuard(c.env, user.id, call, () => asJson(context, run));
    setResponseHeaders(c, result);
    return result.ok ? succeed<unknown>(JSON.parse(result.json)) : result;
  },
};

export function accountApi(prefix: string): Handler<AppEnv> {
  return serve({ ...surface, prefix });
}

/** Administrators can act on the instances of every account without being members of that account. */
function actsOnInstance({ scope, path }: Guarded<Route>): boolean {
  return scope !== "admin" && path.includes("{instanceId}");
}

/** Another account's resources return 404, and a forbidden action on a visible resource returns 403 (docs/use/apis.md, "Errors"). */
function authorize(context: AccountContext, row: Guarded<Route>): Failure | null {
  const { access, c, key, scopes } = context;
  if (row.scope !== null && !scopes.includes(row.scope)) return { code: "forbidden", details: { scope: row.scope } };
  if (row.scope === "admin" && onlyInstances(context) !== null) return { code: "forbidden", details: { reason: "key_restricted" } };
  if (row.kind === "action" && row.bearerOnly && key !== null) return { code: "bearer_required" };
  if (!actsOnInstance(row)) return null;
  if (access === null) return { code: "instance_not_found" };
  if (!mayAccess(context, access.connection.uuid)) return { code: "forbidden" };
  if (row.kind === "action" && row.ownerOnly && access.role !== "owner") return { code: "forbidden" };
  c.get("facts").connection = access.connection.uuid;
  return null;
}

/** Only callers with a valid credential learn which methods a path supports. An invalid credential counts against the client's address. */
async function refuseUnmatched(c: AppContext, methods: string | null): Promise<Response> {
  const { headers } = c.req.raw;
  const isKnown = methods !== null && (headers.has("x-api-key") || headers.has("authorization")) && (await authenticate(c, null)).ok;
  return englishFailure(c, isKnown ? wrongMethod(c, methods) : "route_not_found");
}

/** Exceptions must not cross RPC, so this logs the exception with its stack and returns a failure. */
async function asJson({ c, user }: AccountContext, run: () => Promise<Outcome<unknown>>): Promise<Outcome<string>> {
  try {
    const outcome = await run();
    return outcome.ok ? succeed(JSON.stringify(outcome.value)) : outcome;
  } catch (error) {
    log("account.failed", { request: c.get("requestId"), user: user.id, ...errorFields(error) });
    return fail(failureOfException(error));
  }
}
