// The status of a message we sent: it only moves forward (docs/events.md, "Status of a sent message").
import type { DeliveryStatus } from "../../protocol/message.ts";
import type { MessageRecord } from "../../protocol/records.ts";

export type SentStatus = NonNullable<MessageRecord["status"]>;

/** Where an own message stands. Times are Unix ms, of the first report of each; null while there was none. */
export type MessageProgress = {
  status: SentStatus;
  deliveredAt: number | null;
  readAt: number | null;
  playedAt: number | null;
};

/** What the network reported; `at` is Unix ms. */
export type StatusReport = { status: DeliveryStatus; at: number };

/** How far a status proves that a message got. `failed` proves nothing. */
const RANK: Record<SentStatus, number> = { pending: 0, failed: 0, sent: 1, delivered: 2, read: 3, played: 4 };

/** A message that nothing is known of but its id. */
export const UNREPORTED: MessageProgress = { status: "pending", deliveredAt: null, readAt: null, playedAt: null };

/**
 * Takes a report in. `moved` tells whether it is news, that is a `message.status` event: reports that repeat or go
 * backwards only fill the timeline. The same `progress` comes back when nothing changed.
 */
export function applyReport(progress: MessageProgress, { status, at }: StatusReport): { progress: MessageProgress; moved: boolean } {
  if (status === "failed") {
    // Only when nothing higher was reached, and once.
    const moved = progress.status !== "failed" && RANK[progress.status] <= RANK.sent;
    return { progress: moved ? { ...progress, status } : progress, moved };
  }
  const moved = RANK[status] > RANK[progress.status];
  const time = TIME_OF[status];
  if (!moved && progress[time] !== null) return { progress, moved };
  return { progress: { ...progress, status: moved ? status : progress.status, [time]: progress[time] ?? at }, moved };
}

const TIME_OF = { delivered: "deliveredAt", read: "readAt", played: "playedAt" } as const;

/** The network accepted it. What was proved already stays; a failure that was reported before was wrong. */
export function markAccepted(progress: MessageProgress): MessageProgress {
  return RANK[progress.status] < RANK.sent ? { ...progress, status: "sent" } : progress;
}

/** Whether the status proves that the network took the message. */
export function isAccepted(status: SentStatus): boolean {
  return RANK[status] >= RANK.sent;
}
