// Calls of an account's guard: limits and idempotency of requests about the account itself.
import type { Env } from "../../env.ts";
import type { Answer, Call, AccountAction } from "@gateway/protocol/connection.ts";
import { failureOfException } from "../object-stubs.ts";
import type { Kind, PushOutcome } from "../account-change.ts";
import type { Identified } from "../callers/identify.ts";
import type { OperationCaller } from "../connections/call.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";

/** An account as it was when its removal was asked for. */
export type ClosedAccount = { userId: string; email: string };

/** Who acts on an endpoint of the account. */
export type EndpointCaller = Omit<OperationCaller, "mutating" | "role">;

/** Deliveries of an endpoint that were stored in this span (Unix ms; `until` null: until now). */
export type ResendSpan = { endpoint_id: string; since: number; until: number | null };

/** Streams of one credential, of one connection (UUID), or all. */
export type StreamSelection = { credential?: string; connection?: string };

export type AccountGuardStub = {
  perform(call: Call, act: AccountAction): Promise<Answer>;
  /** Counts an attempt to confirm the account's removal: null when it may be made, otherwise after how many ms. */
  countConfirmation(): Promise<number | null>;
  /**
   * Begins the removal of the account: nothing of it works any more when it returns, and the rest goes on by itself. False, and nothing is
   * changed, when it is that of the last active administrator.
   */
  remove(closed: ClosedAccount): Promise<boolean>;
  /** Has D1's records of the user's connections pushed to their objects: it waits for all of them, but not for long. */
  pushRecords(userId: string): Promise<void>;
  /** The same with the account's webhook endpoints; `waits` false: it begins. `revision`: what is under way with it is gone on with. */
  pushEndpoints(userId: string, revision: number, waits: boolean): Promise<PushOutcome>;
  /** Called by the object itself: tells one share of the connections, those up to this id. Returns whether nothing is left of it. */
  relay(kind: Kind, number: number, until: number): Promise<boolean>;
  /** Counts the bytes of an upload that waits for its message, or corrects them: null, or after how many ms there is room. */
  claimUpload(token: string, bytes: number): Promise<number | null>;
  /** Deliveries of this connection (UUID) fail at this endpoint of the account; said once an hour. */
  addFailing(endpointId: string, connection: string): Promise<void>;
  /** The connections that last said so of the endpoint, not more than a list can ask. */
  failingConnections(endpointId: string): Promise<string[]>;
  /** Resends what failed at an endpoint, of one share of the connections (UUIDs): answers how many. Fails `webhook_inactive`, `unavailable`. */
  resendFailed(caller: EndpointCaller, connections: readonly string[], span: ResendSpan): Promise<Outcome<number>>;
  /** The holder of the account's key with this hash, and the access to the instance (UUID) of the call: what D1 says, or said. */
  identify(hash: string, instance: string | null): Promise<Identified | null>;
  /** Closes the sockets of streams whose right has ended, and forgets what D1 said of the account's keys. */
  endStreams(which: StreamSelection): Promise<void>;
  /** The upgrade of the socket that stands for the right to a stream. */
  fetch(request: Request): Promise<Response>;
  /** Wakes the object, which then does what is due. */
  poke(): Promise<void>;
};

export function accountGuardStub(env: Pick<Env, "ACCOUNT_GUARD">, userId: string): AccountGuardStub {
  return env.ACCOUNT_GUARD.getByName(userId) as unknown as AccountGuardStub;
}

/** Runs `act` once the account's guard has admitted the call; a repeated call gets the first answer. */
export async function passAccountGuard(env: Pick<Env, "ACCOUNT_GUARD">, userId: string, call: Call, act: AccountAction): Promise<Answer> {
  try {
    return await accountGuardStub(env, userId).perform(call, act);
  } catch (error) {
    if (failureOfException(error) === "unavailable") return fail("unavailable");
    throw error;
  }
}
