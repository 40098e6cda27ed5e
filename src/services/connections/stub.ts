// The typed way to a connection's object. RPC's own result types lose unions and generics (docs/architecture.md, "Commands, operations and
// events"), so the methods are said here once; what crosses is plain values.
import type { Env } from "../../env.ts";
import type { AccountEndpoint } from "../../protocol/account-endpoint.ts";
import type { Answer, Call, ConnectionRecord, StoreFiles } from "../../protocol/connection.ts";

export type ConnectionStub = {
  /** One authenticated request, and how its files are stored when it has some. */
  perform(call: Call, storeFiles: StoreFiles | null): Promise<Answer>;
  /** Takes over the D1 facts about the connection. */
  configure(record: ConnectionRecord): Promise<void>;
  /** Takes over the account's webhook endpoints that apply to the connection, unless it has a newer state of them. */
  accountEndpointsChanged(endpoints: AccountEndpoint[], revision: number): Promise<void>;
  /** The bridge of this generation is dead, is being drained, or gave the session up. */
  bridgeLost(generation: number): Promise<void>;
  /** Wakes the object, which then does whatever is overdue. */
  poke(): Promise<void>;
  /** Ends the session, unlinks the device as well as it can, and forgets everything. */
  wipe(): Promise<void>;
  /** The upgrade of a session socket. */
  fetch(request: Request): Promise<Response>;
};

/** `uuid` must have been checked to be one: it names the object, and asking makes it. */
export function connectionStub(env: Pick<Env, "CONNECTION">, uuid: string): ConnectionStub {
  return env.CONNECTION.getByName(uuid) as unknown as ConnectionStub;
}

export type RuntimeErrorFlag = "overloaded" | "retryable" | "durableObjectReset";

export function hasFlag(error: unknown, mark: RuntimeErrorFlag): boolean {
  return typeof error === "object" && error !== null && (error as Record<string, unknown>)[mark] === true;
}

/** The object was overloaded, moved or restarted: asked again in a moment, it answers. */
export function isTransientError(error: unknown): boolean {
  return hasFlag(error, "overloaded") || hasFlag(error, "retryable") || hasFlag(error, "durableObjectReset");
}
