// A request as the Call that an object admits.
import type { Call, CallFlags, Caller } from "../protocol/connection.ts";
import type { AppContext } from "./app-env.ts";
import type { ReadRequest } from "./read-request.ts";

/** `operation` null: the object only admits the call. `input` is left out where there is nothing to hand over. */
export type CallSpec = { flags: CallFlags; operation: string | null; input?: unknown };

export function callOf(
  c: AppContext,
  caller: Caller,
  request: Omit<ReadRequest, "parsed">,
  { flags, operation, input = {} }: CallSpec,
): Call {
  const { path, query, fingerprint, rejected } = request;
  return {
    caller,
    requestId: c.var.requestId,
    method: c.req.method,
    route: path,
    query,
    idempotencyKey: c.req.header("idempotency-key") ?? null,
    fingerprint,
    flags,
    operation,
    input: JSON.stringify(input),
    rejected,
  };
}
