// One operation of a connection's object for somebody whose right to it has been checked.
import type { Env } from "../../env.ts";
import { fail, type Outcome } from "../../protocol/failures.ts";
import { type OperationInput, type OperationName, type OperationOutput, OPERATIONS, type Role } from "../../protocol/operations.ts";
import { ask } from "./ask.ts";

/** `subject`: whose limits count it, as in `Caller`. `mutating`: it changes something, so it is not asked twice. */
export type Asker = { subject: string; role: Role; requestId: string; mutating: boolean };

export async function askAs<N extends OperationName>(
  env: Pick<Env, "CONNECTION">,
  uuid: string,
  { subject, role, requestId, mutating }: Asker,
  operation: N,
  input: OperationInput<N>,
): Promise<Outcome<OperationOutput<N>>> {
  const answer = await ask(env, uuid, {
    caller: { kind: "account", subject, role },
    requestId,
    method: mutating ? "POST" : "GET",
    route: `/${operation}`,
    query: "",
    idempotencyKey: null,
    fingerprint: "",
    flags: { mutating, counted: false, cached: false },
    operation,
    input: JSON.stringify(input),
    rejected: null,
  });
  if (!answer.ok) return fail(answer.failure);
  // What this very operation's handler made.
  return { ok: true, value: OPERATIONS[operation].output.parse(JSON.parse(answer.json)) as OperationOutput<N> };
}
