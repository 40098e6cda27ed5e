// The stub of an account's AccountGuard, which limits and deduplicates requests about the account itself.
import type { Env } from "../../env.ts";
import type { Call, CallResult, AccountAction } from "@gateway/protocol/connection.ts";
import { failureOfException, isTransientError } from "../exceptions.ts";
import { retried } from "../object-calls.ts";
import type { ChangeKind, PushOutcome } from "../account-change.ts";
import { type Identified, identifyKey } from "../callers/identify.ts";
import type { OwnerNotice } from "../mail/send.ts";
import type { OperationCaller } from "../connections/call.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { LruMap } from "@gateway/domain/lru-map.ts";

export type ClosedAccount = { userId: string; email: string };

export type EndpointCaller = Omit<OperationCaller, "mutating" | "role">;

export type ResendSpan = { endpoint_id: string; since: number; until: number | null };

/** `subject` is the id of the user (`link`) or of the share (`invitation`), or the deleted account's address (`deleted`). */
export type OwedMailKind = "link" | "invitation" | "deleted";

export type StreamSelection = { credential?: string; connection?: string };

export type AccountGuardStub = {
  perform(call: Call, act: AccountAction): Promise<CallResult>;
  /** Counts an attempt to confirm the account's removal. Returns null if it is allowed, otherwise the wait in ms. */
  countConfirmation(): Promise<number | null>;
  /** Once this returns, the account cannot be used. Returns false, without a change, for the last active administrator's account. */
  remove(closed: ClosedAccount): Promise<boolean>;
  pushRecords(userId: string): Promise<void>;
  /** Pushes the account's endpoints, or joins a running push of `revision`. If `waits` is false, only starts the push. */
  pushEndpoints(userId: string, revision: number, waits: boolean): Promise<PushOutcome>;
  /** Called by the object itself. Pushes to one part of the connections, up to the id `until`. Returns true once that part is done. */
  relay(kind: ChangeKind, number: number, until: number): Promise<boolean>;
  /** Reserves bytes for an upload, or corrects a reservation. Returns null if there is enough space, otherwise the ms until there is. */
  claimUpload(token: string, bytes: number): Promise<number | null>;
  /** Records that deliveries of this connection (UUID) to this endpoint are failing. Each connection reports this at most once an hour. */
  addFailing(endpointId: string, connection: string): Promise<void>;
  /** The connections that most recently reported failures at the endpoint. Their number is limited to what a list can query. */
  failingConnections(endpointId: string): Promise<string[]>;
  /** Resends failed deliveries of these connections (UUIDs). Returns their number. Fails with `webhook_inactive` or `unavailable`. */
  resendFailed(caller: EndpointCaller, connections: readonly string[], span: ResendSpan): Promise<Outcome<number>>;
  /** The holder of the account key with this hash, and their access to `instance` (UUID). Cached from D1. */
  identify(hash: string, instance: string | null): Promise<Identified | null>;
  /** Closes sockets of streams whose authorization ended, and drops cached account keys. */
  endStreams(which: StreamSelection): Promise<void>;
  /** Stores a notice to the account's owner, for the next email. */
  addNotice(ownerId: string, notice: OwnerNotice): Promise<void>;
  /** Sends this email later, because the email service refused it before `askedAt` (Unix ms). */
  oweMail(kind: OwedMailKind, subject: string, askedAt: number): Promise<void>;
  fetch(request: Request): Promise<Response>;
  poke(): Promise<void>;
};

export function accountGuardStub(env: Pick<Env, "ACCOUNT_GUARD">, userId: string): AccountGuardStub {
  return env.ACCOUNT_GUARD.getByName(userId) as unknown as AccountGuardStub;
}

export async function passAccountGuard(
  env: Pick<Env, "ACCOUNT_GUARD">,
  userId: string,
  call: Call,
  act: AccountAction,
): Promise<CallResult> {
  try {
    return await accountGuardStub(env, userId).perform(call, act);
  } catch (error) {
    if (failureOfException(error) === "unavailable") return fail("unavailable");
    throw error;
  }
}

const accountOf = new LruMap<string>(10_000);

export async function identifyAtGuard(
  env: Pick<Env, "DB" | "ACCOUNT_GUARD">,
  hash: string,
  instance: string | null,
): Promise<Identified | null> {
  const userId = accountOf.get(hash);
  if (userId !== undefined) {
    try {
      return await retried(() => accountGuardStub(env, userId).identify(hash, instance));
    } catch {
      // Falls through to the lookup in D1. If D1 is unavailable too, the guard keeps the account in its cache until the next call.
    }
  }
  const found = await identifyKey(env.DB, hash, instance);
  if (found === null) accountOf.delete(hash);
  else accountOf.set(hash, found.user.id);
  return found;
}

/** Claims bytes on the account. A repeated token changes its earlier claim. 0 bytes never fail. Fails with `upload_limit`. */
export async function claimOfAccount(
  env: Pick<Env, "ACCOUNT_GUARD">,
  ownerId: string,
  token: string,
  bytes: number,
): Promise<Outcome<object>> {
  const waitMs = await retried(() => accountGuardStub(env, ownerId).claimUpload(token, bytes));
  return waitMs === null ? succeed({}) : fail("upload_limit", { retryAfter: Math.ceil(waitMs / 1000) });
}

// Stream authorization. The AccountGuard holds a socket for each stream. An action that ends the access closes it before returning.

/** `credential` is `key:<id>`, `session:<id>` or `token`. `connections` are UUIDs. */
export type StreamRight = { userId: string; credential: string; connections: readonly string[] };

/** Returns a socket that is not accepted yet. It closes when the authorization ends. Null if the AccountGuard is unreachable. */
export async function openRightSocket(env: Pick<Env, "ACCOUNT_GUARD">, right: StreamRight): Promise<WebSocket | null> {
  const { userId, credential, connections } = right;
  const query = new URLSearchParams({ credential, connections: connections.join() }).toString();
  try {
    const upgrade = new Request(`https://account/?${query}`, { headers: { upgrade: "websocket" } });
    return (await accountGuardStub(env, userId).fetch(upgrade)).webSocket;
  } catch (error) {
    if (isTransientError(error)) return null;
    throw error;
  }
}

/** Ends all streams, or those of one credential or connection. Call it after the change is in D1, and before responding. */
export async function endStreams(env: Pick<Env, "ACCOUNT_GUARD">, userId: string, which: StreamSelection = {}): Promise<void> {
  await retried(() => accountGuardStub(env, userId).endStreams(which));
}
