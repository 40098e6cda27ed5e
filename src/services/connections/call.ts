// Asking a connection's object, and what it means when the object does not answer.
import type { Env } from "../../env.ts";
import { type Answer, type Call, makeCall, type StoreFiles } from "../../protocol/connection.ts";
import {
  type OperationName,
  type OperationRow,
  OPERATIONS,
  type OperationInput,
  type OperationOutput,
  type Role,
} from "../../protocol/operations.ts";
import { connectionStub, hasFlag, isTransientError } from "./stub.ts";
import { fail, type Outcome } from "../../protocol/failures.ts";

/**
 * One RPC to the object. An object that was overloaded took nothing; one that was moved or restarted under the call may have
 * acted: a read is asked again, a send is uncertain. Anything else is a defect and is thrown on.
 */
export async function callConnection(
  env: Pick<Env, "CONNECTION">,
  uuid: string,
  call: Call,
  storeFiles: StoreFiles | null = null,
): Promise<Answer> {
  try {
    return await connectionStub(env, uuid).perform(call, storeFiles);
  } catch (error) {
    if (hasFlag(error, "overloaded")) return unavailable;
    if (!isTransientError(error)) throw error;
    if (putsOnTheWire(call.operation)) return fail("send_outcome_unknown");
    if (call.flags.mutating) return unavailable;
  }
  try {
    // A stub that failed once stays broken: this is a new one.
    return await connectionStub(env, uuid).perform(call, null);
  } catch (error) {
    if (isTransientError(error)) return unavailable;
    throw error;
  }
}

/**
 * Operations that put a message on the wire: without an answer nobody knows whether it left, and a 5xx would be repeated (docs/apis.md,
 * "Three statuses on purpose"). They are those that go on where they were interrupted.
 */
function putsOnTheWire(operation: string | null): boolean {
  const rows: Readonly<Record<string, OperationRow>> = OPERATIONS;
  return operation !== null && rows[operation as OperationName]?.resumable === true;
}

const unavailable: Answer = fail("unavailable");

/** `subject`: whose limits count it, as in `Caller`. `mutating`: it changes something, so it is not asked twice. */
export type OperationCaller = { subject: string; role: Role; requestId: string; mutating: boolean };

export async function callOperation<N extends OperationName>(
  env: Pick<Env, "CONNECTION">,
  uuid: string,
  { subject, role, requestId, mutating }: OperationCaller,
  operation: N,
  input: OperationInput<N>,
): Promise<Outcome<OperationOutput<N>>> {
  const call = makeCall({
    caller: { kind: "account", subject, role },
    requestId,
    method: mutating ? "POST" : "GET",
    route: `/${operation}`,
    flags: { mutating, counted: false, cached: false },
    operation,
    input,
  });
  return resultOf(operation, await callConnection(env, uuid, call));
}

/** What the object answered to this operation. */
export function resultOf<N extends OperationName>(operation: N, answer: Answer): Outcome<OperationOutput<N>> {
  if (!answer.ok) return fail(answer.failure);
  // What this very operation's handler made.
  return { ok: true, value: OPERATIONS[operation].output.parse(JSON.parse(answer.json)) as OperationOutput<N> };
}
