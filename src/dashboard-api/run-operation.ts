// Asking a connection's object on behalf of a person at the dashboard.
import { createHash } from "node:crypto";
import type { AppContext } from "../http/app-env.ts";
import { fail, type Outcome } from "../protocol/failures.ts";
import { type OperationInput, type OperationName, type OperationOutput, OPERATIONS } from "../protocol/operations.ts";
import type { Access } from "../services/connections/access.ts";
import { callConnection } from "../services/connections/call.ts";
import type { User } from "../services/users/user-table.ts";

export type ConnectionMember = Access & { user: User };

type OperationResult<N extends OperationName> = Outcome<OperationOutput<N>>;

/** Carries the request's operation out, as far as the person's role allows: the object decides. */
export function runOperation<N extends OperationName>(
  c: AppContext,
  member: ConnectionMember,
  operation: N,
  input: OperationInput<N>,
): Promise<OperationResult<N>> {
  c.var.facts.operation = operation;
  return callOperation(c, member, operation, input, c.req.method !== "GET" && c.req.method !== "HEAD");
}

/** A read beside the request's own operation: it changes nothing, whatever the request's method is. */
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
  const json = JSON.stringify(input);
  const answer = await callConnection(c.env, member.connection.uuid, {
    caller: { kind: "account", subject: member.user.id, role: member.role },
    requestId: c.var.requestId,
    method: c.req.method,
    route: c.req.path,
    query: "",
    idempotencyKey: mutating ? (c.req.header("idempotency-key") ?? null) : null,
    fingerprint: createHash("sha256").update(`${c.req.method}\n${c.req.path}\n${json}`).digest("hex"),
    flags: { mutating, counted: false, cached: false },
    operation,
    input: json,
    rejected: null,
  });
  if (answer.replayed === true) c.header("idempotent-replayed", "true");
  if (!answer.ok) return fail(answer.failure);
  // What this very operation's handler made.
  return { ok: true, value: OPERATIONS[operation].output.parse(JSON.parse(answer.json)) as OperationOutput<N> };
}
