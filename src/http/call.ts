// The Call of a request.
import { type Call, type CallFlags, type Caller, makeCall, type CallLog } from "@gateway/protocol/connection.ts";
import type { AppContext } from "./app-env.ts";
import type { ReadRequest } from "./read-request.ts";

/** `operation` null: the object only admits the call. `input` is absent for calls without input. */
export type CallSpec = { flags: CallFlags; operation: string | null; input?: unknown; shown?: ShownCall };

/** How the request log shows the caller, and the status of the answer when the call succeeds. */
export type ShownCall = Pick<CallLog, "caller"> & Partial<Pick<CallLog, "name" | "status">>;

export function callOf(c: AppContext, caller: Caller, request: Omit<ReadRequest, "parsed">, { shown, ...spec }: CallSpec): Call {
  const { path: route, query, fingerprint, rejected } = request;
  if (shown !== undefined) c.set("loggedStatus", shown.status ?? 200);
  const idempotencyKey = spec.flags.mutating ? (c.req.header("idempotency-key") ?? null) : null;
  return makeCall({
    caller,
    requestId: c.get("requestId"),
    method: c.req.method,
    route,
    query,
    idempotencyKey,
    fingerprint,
    rejected,
    ...(shown === undefined ? {} : { log: callLogOf(c, shown) }),
    ...spec,
  });
}

function callLogOf(c: AppContext, { caller, name = null, status = 200 }: ShownCall): CallLog {
  return { caller, name, status, route: c.get("facts").route ?? "", receivedAt: c.get("receivedAt") };
}
