// Asking a connection's object on behalf of a person at the dashboard.
import { createHash } from "node:crypto";
import type { AppContext } from "../http/app-env.ts";
import { fail, type Outcome } from "../protocol/failures.ts";
import { type OperationInput, type OperationName, type OperationOutput, OPERATIONS } from "../protocol/operations.ts";
import type { Access } from "../services/connections/access.ts";
import { ask } from "../services/connections/ask.ts";
import type { User } from "../services/users/find.ts";

export type Visitor = Access & { user: User };

type Performed<N extends OperationName> = Outcome<OperationOutput<N>>;

/** Carries the request's operation out, as far as the person's role allows: the object decides. */
export function perform<N extends OperationName>(
  c: AppContext,
  visitor: Visitor,
  operation: N,
  input: OperationInput<N>,
): Promise<Performed<N>> {
  c.var.facts.operation = operation;
  return performAs(c, visitor, operation, input, c.req.method !== "GET" && c.req.method !== "HEAD");
}

/** A read beside the request's own operation: it changes nothing, whatever the request's method is. */
export function look<N extends OperationName>(
  c: AppContext,
  visitor: Visitor,
  operation: N,
  input: OperationInput<N>,
): Promise<Performed<N>> {
  return performAs(c, visitor, operation, input, false);
}

async function performAs<N extends OperationName>(
  c: AppContext,
  visitor: Visitor,
  operation: N,
  input: OperationInput<N>,
  mutating: boolean,
): Promise<Performed<N>> {
  const json = JSON.stringify(input);
  const answer = await ask(c.env, visitor.connection.uuid, {
    caller: { kind: "account", subject: visitor.user.id, role: visitor.role },
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
