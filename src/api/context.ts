import type { Scope } from "@gateway/domain/keys/scopes.ts";
import type { Call, CallFlags, CallLog, Caller } from "@gateway/protocol/connection.ts";
import type { AppContext } from "#root/src/http/app-env.ts";
import { accessTo } from "#root/src/services/connections/access.ts";
import type { ConnectionRow } from "#root/src/services/connections/record.ts";
import type { CallerAccess, CallingKey, CallingUser } from "#root/src/services/callers/identify.ts";
import type { RenderContext } from "./responses.ts";
import type { ReadRequest } from "#root/src/http/read-request.ts";

export type Context = RenderContext & { c: AppContext; now: number };

export type AccountContext = Context & {
  user: CallingUser;
  key: CallingKey | null;
  /** The owner of this request's rate limits and idempotency keys. */
  subject: string;
  scopes: readonly Scope[];
  access: CallerAccess | null;
  /** Secrets for the first response, by the id of their key or endpoint. They are not stored for replays. */
  oneTimeSecrets: Map<string, string | null>;
};

/** `kid` is the entry of KEY_SECRET that signed the key. */
export type KnownKey = { connection: string; kid: number; caller: Extract<Caller, { kind: "connection_key" }> };

export type KeyContext = Context & { key: KnownKey };

export function accessOf({ access }: AccountContext): CallerAccess {
  if (access === null) throw new Error("the route names no instance");
  return access;
}

export async function connectionRowOf(context: AccountContext): Promise<ConnectionRow> {
  const { connection } = accessOf(context);
  const found = await accessTo(context.c.env.DB, context.user.id, connection.id);
  // Marked as retryable, because a retry returns `instance_not_found`.
  if (found === null) throw Object.assign(new Error("the instance was removed during the call"), { retryable: true });
  return found.connection;
}

/** The instances (UUIDs) to which the caller's key is restricted. Null means all of the user's instances. */
export function onlyInstances({ key }: AccountContext): readonly string[] | null {
  return key?.instanceIds ?? null;
}

export function mayAccess(context: AccountContext, instance: string): boolean {
  return onlyInstances(context)?.includes(instance) ?? true;
}

// The parts of a request's caller and result that the object's request log shows.
export type ShownCall = Pick<CallLog, "caller"> & Partial<Pick<CallLog, "name" | "status">>;

/** If `operation` is null, the object only checks whether the call is admitted. */
type CallSpec = { flags: CallFlags; operation: string | null; input?: unknown; shown?: ShownCall | undefined };

/** Placeholders for a request whose body was not read, or that matches no route. */
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
