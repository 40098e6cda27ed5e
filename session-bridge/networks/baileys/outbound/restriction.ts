// Ack 463: the network does not let this message start a conversation. Either the account may not start chats for a while, or this
// recipient cannot be messaged yet (docs/internals/durability.md, "Sends"). Never retried, because retries count against the account.
import type { Failure } from "@gateway/protocol/failures.ts";
import type { SessionContext } from "../session/session-context.ts";

type ReachoutTimelock = Awaited<ReturnType<SessionContext["sock"]["fetchAccountReachoutTimelock"]>>;

export async function restriction463(ctx: SessionContext, messageId: string): Promise<Failure> {
  // The library also emits the result as `connection.update`, which reports the restriction.
  return restriction(messageId, await ctx.sock.fetchAccountReachoutTimelock().catch(() => null), ctx.now());
}

/** `lock` is null when the network has not said which of the two applies. `now`: Unix milliseconds. */
export function restriction(messageId: string, lock: ReachoutTimelock | null, now: number): Failure {
  const ends = lock?.isActive ? (lock.timeEnforcementEnds ?? null) : null;
  const seconds = ends === null ? 0 : Math.ceil((ends.getTime() - now) / 1000);
  return {
    code: "temporarily_blocked",
    ...(seconds > 0 && { retryAfter: seconds }),
    details: {
      message_id: messageId,
      ...(lock !== null && { scope: lock.isActive ? "account" : "recipient", ends_at: ends?.toISOString() ?? null }),
    },
  };
}
