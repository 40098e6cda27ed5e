import type { AppContext } from "#root/src/http/app-env.ts";
import { noteRefusal } from "#root/src/http/response-headers.ts";
import { callOf } from "../context.ts";
import { fingerprint } from "#root/src/http/fingerprint.ts";
import { fileStorageOf, type RequestFiles } from "#root/src/http/request-files.ts";
import type { Call } from "@gateway/protocol/connection.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import type { OperationInput, OperationName, OperationOutput } from "@gateway/protocol/operations.ts";
import type { ActionName } from "@gateway/protocol/operations/history.ts";
import type { Access } from "#root/src/services/connections/access.ts";
import { logAction } from "#root/src/services/connections/action-log.ts";
import { callConnection, outcomeOfCall } from "#root/src/services/connections/call.ts";
import type { User } from "#root/src/services/users/user-table.ts";

export type ConnectionMember = Access & { user: User };

type OperationResult<N extends OperationName> = Outcome<OperationOutput<N>>;

/** `request` is part of the call's fingerprint, because `input` contains only placeholders, which are the same for all files. */
type WithFiles = { files: RequestFiles; request: unknown };

export function callAs<N extends OperationName>(
  c: AppContext,
  member: ConnectionMember,
  operation: N,
  input: OperationInput<N>,
  taken?: WithFiles,
): Promise<OperationResult<N>> {
  c.get("facts").operation = operation;
  return callOperation(c, member, { operation, input, mutating: c.req.method !== "GET" && c.req.method !== "HEAD" }, taken);
}

/** A read that is made in addition to the route's own operation. It changes nothing, even in a POST. */
export function readAs<N extends OperationName>(
  c: AppContext,
  member: ConnectionMember,
  operation: N,
  input: OperationInput<N>,
): Promise<OperationResult<N>> {
  return callOperation(c, member, { operation, input, mutating: false });
}

type Asked<N extends OperationName> = { operation: N; input: OperationInput<N>; mutating: boolean };

export function recordAction(c: AppContext, { connection, role, user }: ConnectionMember, act: ActionName, subject: string | null): void {
  const actor = { subject: user.id, role, requestId: c.get("requestId") };
  c.executionCtx.waitUntil(logAction(c.env, connection.uuid, actor, act, subject));
}

async function callOperation<N extends OperationName>(
  c: AppContext,
  member: ConnectionMember,
  asked: Asked<N>,
  taken?: WithFiles,
): Promise<OperationResult<N>> {
  const { uuid } = member.connection;
  const call = operationCall(c, member, asked, taken?.request);
  const result = await callConnection(c.env, uuid, call, taken?.files.storeFiles(fileStorageOf(c, uuid)) ?? null);
  noteRefusal(c, result);
  if (result.replayed === true) c.header("idempotent-replayed", "true");
  return outcomeOfCall(asked.operation, result);
}

function operationCall(
  c: AppContext,
  { user, role }: ConnectionMember,
  { operation, input, mutating }: { operation: OperationName; input: unknown; mutating: boolean },
  request: unknown = null,
): Call {
  const digest = fingerprint(c.req.method, c.req.path, "")
    .update(JSON.stringify([input, request]))
    .digest("hex");
  return callOf(
    c,
    { kind: "account", subject: user.id, role },
    { path: c.req.path, query: "", fingerprint: digest, rejected: null },
    { flags: { mutating, counted: false, cached: false }, operation, input, ...(mutating ? { shown: { caller: "dashboard" } } : {}) },
  );
}
