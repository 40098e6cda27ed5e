// Ack 463: the network does not let this message start a conversation. Either the whole account is barred from new chats, and says
// until when, or this one recipient cannot be reached yet (docs/durability.md, "Sends"). Never repeated: trying again counts.
import type { Failure } from "../../../../src/protocol/failures.ts";
import type { SessionContext } from "../session/session-context.ts";

export async function restriction463(ctx: SessionContext, messageId: string): Promise<Failure> {
  // The library reports what it reads as `connection.update`, so the restriction itself is told too.
  const lock = await ctx.sock.fetchAccountReachoutTimelock().catch(() => null);
  const ends = lock?.isActive ? (lock.timeEnforcementEnds ?? null) : null;
  const seconds = ends === null ? 0 : Math.ceil((ends.getTime() - ctx.now()) / 1000);
  return {
    code: "temporarily_blocked",
    ...(seconds > 0 && { retryAfter: seconds }),
    details: {
      message_id: messageId,
      ...(lock !== null && { scope: lock.isActive ? "account" : "recipient", ends_at: ends?.toISOString() ?? null }),
    },
  };
}
