// The call to an object, or to an account's guard, that a request results in.
import type { Call, CallFlags, CallLog, Caller } from "@gateway/protocol/connection.ts";
import type { AppContext } from "../http/app-env.ts";
import type { ReadRequest } from "../http/read-request.ts";

export type ShownCall = Pick<CallLog, "caller"> & Partial<Pick<CallLog, "name" | "status">>;

/** `operation` null: the object only checks whether the call is admitted. */
export type CallSpec = { flags: CallFlags; operation: string | null; input?: unknown; shown?: ShownCall | undefined };

/** Placeholder values for a request that was not read or that matches no route. */
export const UNREAD = { path: "", query: "", fingerprint: "", rejected: null };

export function callOf(c: AppContext, caller: Caller, request: Omit<ReadRequest, "parsed">, spec: CallSpec): Call {
  const { flags, operation, input = {}, shown } = spec;
  const { path: route, query, fingerprint, rejected } = request;
  if (shown !== undefined) c.set("loggedStatus", shown.status ?? 200);
  return {
    caller,
    requestId: c.get("requestId"),
    method: c.req.method,
    route,
    query,
    idempotencyKey: flags.mutating ? (c.req.header("idempotency-key") ?? null) : null,
    fingerprint,
    rejected,
    flags,
    operation,
    input: JSON.stringify(input),
    ...(shown === undefined ? {} : { log: logOf(c, shown) }),
  };
}

function logOf(c: AppContext, { caller, name = null, status = 200 }: ShownCall): CallLog {
  return { caller, name, status, route: c.get("facts").route ?? "", receivedAt: c.get("receivedAt") };
}
