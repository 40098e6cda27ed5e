// The status of messages sent by this number. It only moves forward (docs/use/events.md, "Status of a sent message").
import type { Failure } from "@gateway/protocol/failures.ts";
import type { ReportedStatus } from "@gateway/protocol/message.ts";
import type { MessageRecord } from "@gateway/protocol/records.ts";

export type SentStatus = NonNullable<MessageRecord["status"]>;

/** Times (Unix ms) of the first report of each status, or null if there has been none. */
export type MessageProgress = {
  status: SentStatus;
  deliveredAt: number | null;
  readAt: number | null;
  playedAt: number | null;
};

export type StatusReport = { status: ReportedStatus; at: number };

/** `failed` ranks lowest, so that any progress overrides it. */
const RANK: Record<SentStatus, number> = { pending: 0, failed: 0, sent: 1, delivered: 2, read: 3, played: 4 };

export const UNREPORTED: MessageProgress = { status: "pending", deliveredAt: null, readAt: null, playedAt: null };

/** `moved` means that the status advanced, which emits `message.status`. `progress` is the same object if nothing changed. */
export function applyReport(progress: MessageProgress, { status, at }: StatusReport): { progress: MessageProgress; moved: boolean } {
  if (status === "failed") {
    const moved = progress.status !== "failed" && RANK[progress.status] <= RANK.sent;
    return { progress: moved ? { ...progress, status } : progress, moved };
  }
  const moved = RANK[status] > RANK[progress.status];
  const time = TIME_OF[status];
  if (!moved && progress[time] !== null) return { progress, moved };
  return { progress: { ...progress, status: moved ? status : progress.status, [time]: progress[time] ?? at }, moved };
}

/** True if this report adds the reason for a failure that is already known. A second event then corrects the first. */
export function isBetterReason({ status }: MessageProgress, known: Failure | null, reported: Failure | null): boolean {
  return status === "failed" && !saysWhy(known) && saysWhy(reported);
}

function saysWhy(failure: Failure | null): boolean {
  if (failure === null || failure.code === "send_outcome_unknown") return false;
  return failure.code !== "network_error" || failure.details?.["network_code"] !== undefined;
}

const TIME_OF = { delivered: "deliveredAt", read: "readAt", played: "playedAt" } as const;

/** The network accepted the message. Keeps a higher status, but clears an earlier failure, which was wrong. */
export function markAccepted(progress: MessageProgress): MessageProgress {
  return RANK[progress.status] < RANK.sent ? { ...progress, status: "sent" } : progress;
}

export function isAccepted(status: SentStatus): boolean {
  return RANK[status] >= RANK.sent;
}
