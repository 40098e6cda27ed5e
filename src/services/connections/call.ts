import type { Env } from "../../env.ts";
import type { Call, CallResult, StoreFiles } from "@gateway/protocol/connection.ts";
import {
  type OperationName,
  type OperationRow,
  OPERATIONS,
  type OperationInput,
  type OperationOutput,
  outputOf,
  type Role,
} from "@gateway/protocol/operations.ts";
import { failureOfException, hasFlag } from "../exceptions.ts";
import { connectionStub } from "./stub.ts";
import { activeSpan } from "@gateway/tracing/active-span.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";

/** An overloaded object has not run the call. One that moved or restarted may have run it, so only reads are retried here. */
export async function callConnection(
  env: Pick<Env, "CONNECTION">,
  uuid: string,
  untraced: Call,
  storeFiles: StoreFiles | null = null,
): Promise<CallResult> {
  const span = activeSpan();
  const call = span === undefined ? untraced : { ...untraced, trace: span.traceparent };
  try {
    return await connectionStub(env, uuid).perform(call, storeFiles);
  } catch (error) {
    if (hasFlag(error, "overloaded")) return unavailable;
    if (failureOfException(error) !== "unavailable") throw error;
    if (putsOnTheWire(call.operation) && !callerMayRepeat(call)) return fail("send_outcome_unknown");
    if (call.flags.mutating) return unavailable;
  }
  try {
    return await connectionStub(env, uuid).perform(call, null);
  } catch (error) {
    if (failureOfException(error) === "unavailable") return unavailable;
    throw error;
  }
}

/** Returns the refusal if it does not depend on the body. Null means that the body may be read. */
export async function screenCall(env: Pick<Env, "CONNECTION">, uuid: string, call: Call): Promise<CallResult | null> {
  try {
    return await connectionStub(env, uuid).screen(call);
  } catch (error) {
    if (failureOfException(error) === "unavailable") return unavailable;
    throw error;
  }
}

/** Decides between 503 and 424. The caller may repeat the call, because it resumes (docs/internals/admission.md, "Idempotency"). */
function callerMayRepeat({ idempotencyKey, operation, input }: Call): boolean {
  if (idempotencyKey !== null) return true;
  return operation === "messages.send" && (JSON.parse(input) as OperationInput<"messages.send">).message_id !== null;
}

/** Without a response, the outcome of these operations is unknown, and a 5xx would make clients retry them. */
function putsOnTheWire(operation: string | null): boolean {
  const rows: Readonly<Record<string, OperationRow>> = OPERATIONS;
  return operation !== null && rows[operation as OperationName]?.resumable === true;
}

const unavailable: CallResult = fail("unavailable");

/** `subject` is the owner of the rate limits that apply to the call. `mutating` calls are not retried. */
export type OperationCaller = { subject: string; role: Role; requestId: string; mutating: boolean };

export async function callOperation<N extends OperationName>(
  env: Pick<Env, "CONNECTION">,
  uuid: string,
  { subject, role, requestId, mutating }: OperationCaller,
  operation: N,
  input: OperationInput<N>,
): Promise<Outcome<OperationOutput<N>>> {
  const call: Call = {
    caller: { kind: "account", subject, role },
    requestId,
    method: mutating ? "POST" : "GET",
    route: `/${operation}`,
    query: "",
    idempotencyKey: null,
    fingerprint: "",
    rejected: null,
    flags: { mutating, counted: false, cached: false },
    operation,
    input: JSON.stringify(input),
  };
  return outcomeOfCall(operation, await callConnection(env, uuid, call));
}

export function readInstance(
  env: Pick<Env, "CONNECTION">,
  uuid: string,
  caller: Pick<OperationCaller, "subject" | "requestId">,
): Promise<Outcome<OperationOutput<"instance.get">>> {
  return callOperation(env, uuid, { ...caller, role: "viewer", mutating: false }, "instance.get", {});
}

export function outcomeOfCall<N extends OperationName>(operation: N, result: CallResult): Outcome<OperationOutput<N>> {
  if (!result.ok) return fail(result.failure);
  return succeed(outputOf(operation, result.json));
}
