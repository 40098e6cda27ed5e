// The Call of a request.
import { type Call, type CallFlags, type Caller, makeCall } from "../protocol/connection.ts";
import type { AppContext } from "./app-env.ts";
import type { ReadRequest } from "./read-request.ts";

/** `operation` null: the object only admits the call. `input` is absent for calls without input. */
export type CallSpec = { flags: CallFlags; operation: string | null; input?: unknown };

export function callOf(c: AppContext, caller: Caller, request: Omit<ReadRequest, "parsed">, spec: CallSpec): Call {
  const { path: route, query, fingerprint, rejected } = request;
  const idempotencyKey = spec.flags.mutating ? (c.req.header("idempotency-key") ?? null) : null;
  return makeCall({
    caller,
    requestId: c.var.requestId,
    method: c.req.method,
    route,
    query,
    idempotencyKey,
    fingerprint,
    rejected,
    ...spec,
  });
}
