// The Connection API: the key identifies the connection, and its object executes every operation.
import type { Handler } from "hono";
import { settingsOf } from "#root/src/env.ts";
import type { AppContext, AppEnv } from "#root/src/http/app-env.ts";
import { setResponseHeaders } from "#root/src/http/response-headers.ts";
import { ENGLISH_FIELDS, PORTUGUESE_FIELDS } from "#root/src/http/field-errors.ts";
import { wrongMethod } from "#root/src/http/path-pattern.ts";
import { readRequest } from "#root/src/http/read-request.ts";
import { refuseKey } from "#root/src/http/refuse-key.ts";
import { callConnection } from "#root/src/services/connections/call.ts";
import { callOf, type KeyContext, UNREAD } from "./context.ts";
import { keyOf, refuse } from "./connection/authenticate.ts";
import { isEnglish, portugueseFailure } from "./connection/failure.ts";
import { type Route, ROUTES } from "./connection/routes.ts";
import { serve, type Surface } from "./serve.ts";

const surface: Omit<Surface<KeyContext, Route>, "prefix"> = {
  routes: ROUTES,
  refuse,
  refuseUnmatched,
  authenticate: async (c) => {
    const key = keyOf(c);
    if (key === null) return { ok: false, response: await refuseKey(c, portugueseFailure) };
    return { ok: true, context: { c, key, now: Date.now(), appUrl: settingsOf(c.env).APP_URL, routes: ROUTES } };
  },
  authorize: () => null,
  read: ({ c }, row, body, params) => readRequest(c, row, body, isEnglish(c) ? ENGLISH_FIELDS : PORTUGUESE_FIELDS, params),
  validatesFirst: false,
  calleeOf: ({ key }, { scope }) => ({ connection: key.connection, caller: { ...key.caller, scope }, shown: { caller: "key" } }),
  screensLongBodies: true,
  noteResult: setResponseHeaders,
  admit: (_context, _row, _request, run) => run(),
};

export function connectionApi(prefix: string): Handler<AppEnv> {
  return serve({ ...surface, prefix });
}

/** The object's usual checks run first, because they take precedence over 404 and 405. */
async function refuseUnmatched(c: AppContext, methods: string | null): Promise<Response> {
  const key = keyOf(c);
  if (key === null) return refuseKey(c, portugueseFailure);
  const flags = { mutating: false, counted: false, cached: false };
  const result = await callConnection(
    c.env,
    key.connection,
    callOf(c, key.caller, UNREAD, { flags, operation: null, shown: { caller: "key" } }),
  );
  setResponseHeaders(c, result);
  if (result.ok) throw new Error("the object carried out a call without an operation");
  const isWrongMethod = result.failure.code === "route_not_found" && methods !== null;
  return refuse(c, isWrongMethod ? wrongMethod(c, methods) : result.failure);
}
