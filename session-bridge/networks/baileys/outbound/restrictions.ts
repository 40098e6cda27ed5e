// Ack 463 means that the account may not start chats, or may not message this person yet. Retries count against the account.
import type { Failure } from "@gateway/protocol/failures.ts";
import { newChatQuota, reportQuota } from "../queries/new-chat-quota.ts";
import type { SessionContext } from "../session/session-context.ts";

type ReachoutTimelock = { isActive?: boolean; timeEnforcementEnds?: Date | undefined };

export async function restriction463(ctx: SessionContext, messageId: string): Promise<Failure> {
  return restriction(messageId, await ctx.sock.fetchAccountReachoutTimelock().catch(() => null), ctx.now());
}

/** Ack 475 means that the quota for new chats is used up. */
export async function newChatsCapped(ctx: SessionContext, messageId: string): Promise<Failure> {
  const quota = { total: null, used: null, cycle_ends_at: null, ...(await newChatQuota(ctx)), status: "capped" as const };
  reportQuota(ctx, quota);
  const { cycle_ends_at: ends } = quota;
  return restriction(messageId, { isActive: true, timeEnforcementEnds: ends === null ? undefined : new Date(ends * 1000) }, ctx.now());
}

/** `lock` is null when the network has not reported which case applies. `now` is in Unix milliseconds. */
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
