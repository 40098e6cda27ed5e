// Calling a connection's object for a signed-in user.
import type { AppContext } from "../http/app-env.ts";
import { noteRefusal } from "../http/answer-headers.ts";
import { callOf } from "../http/call.ts";
import { fingerprint } from "../http/canonical.ts";
import type { Outcome } from "../protocol/failures.ts";
import type { OperationInput, OperationName, OperationOutput } from "../protocol/operations.ts";
import type { Access } from "../services/connections/access.ts";
import { callConnection, resultOf } from "../services/connections/call.ts";
import type { User } from "../services/users/user-table.ts";

export type ConnectionMember = Access & { user: User };

type OperationResult<N extends OperationName> = Outcome<OperationOutput<N>>;

/** Runs the request's operation; the object checks the user's role. */
export function runOperation<N extends OperationName>(
  c: AppContext,
  member: ConnectionMember,
  operation: N,
  input: OperationInput<N>,
): Promise<OperationResult<N>> {
  c.var.facts.operation = operation;
  return callOperation(c, member, operation, input, c.req.method !== "GET" && c.req.method !== "HEAD");
}

/** A read besides the request's own operation: not mutating, whatever the request's method is. */
export function readOperation<N extends OperationName>(
  c: AppContext,
  member: ConnectionMember,
  operation: N,
  input: OperationInput<N>,
): Promise<OperationResult<N>> {
  return callOperation(c, member, operation, input, false);
}

async function callOperation<N extends OperationName>(
  c: AppContext,
  member: ConnectionMember,
  operation: N,
  input: OperationInput<N>,
  mutating: boolean,
): Promise<OperationResult<N>> {
  const digest = fingerprint(c.req.method, c.req.path, "").update(JSON.stringify(input)).digest("hex");
  const call = callOf(
    c,
    { kind: "account", subject: member.user.id, role: member.role },
    { path: c.req.path, query: "", fingerprint: digest, rejected: null },
    { flags: { mutating, counted: false, cached: false }, operation, input, ...(mutating ? { shown: { caller: "dashboard" } } : {}) },
  );
  const answer = await callConnection(c.env, member.connection.uuid, call);
  noteRefusal(c, answer);
  if (answer.replayed === true) c.header("idempotent-replayed", "true");
  return resultOf(operation, answer);
}
